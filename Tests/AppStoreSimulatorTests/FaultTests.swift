import AppStoreSimulator
import Foundation
import HTTP
import TestSupport
import Testing

/// Every way in which a call can go wrong, seen from the client's end of the wire and from the journal.
@Suite struct FaultTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let word: String
        let status: Int?
        var code: Int?
        let isProcessed: Bool
        var testDescription: String { word }
    }

    static let answers: [Case] = [
        Case(word: "garbage", status: 200, isProcessed: true),
        Case(word: "empty", status: 200, isProcessed: true),
        Case(word: "200", status: 200, isProcessed: false),
        Case(word: "302", status: 302, isProcessed: false),
        Case(word: "401", status: 401, isProcessed: false),
        Case(word: "403", status: 403, isProcessed: false),
        Case(word: "408", status: 408, isProcessed: false),
        Case(word: "429", status: 429, code: 4_290_000, isProcessed: false),
        Case(word: "500", status: 500, code: 5_000_000, isProcessed: false),
        Case(word: "502", status: 502, isProcessed: false),
        Case(word: "503", status: 503, isProcessed: false),
        Case(word: "504", status: 504, isProcessed: false),
        Case(word: "500-after", status: 500, code: 5_000_000, isProcessed: true),
        Case(word: "503-after", status: 503, isProcessed: true),
        Case(word: "5000001", status: 500, code: 5_000_001, isProcessed: false),
        Case(word: "5000001-after", status: 500, code: 5_000_001, isProcessed: true),
        Case(word: "slow-20", status: 200, isProcessed: true),
    ]

    /// All codes of the three endpoints, and two that Apple never listed.
    static let codes: [Case] =
        (ErrorCode.allCases.map(\.rawValue) + [4_039_999, 4_099_999]).map {
            Case(word: String($0), status: $0 / 10_000, code: $0, isProcessed: false)
        }

    @Test(arguments: answers + codes)
    func `a rule's word gives that answer, once by the rule`(fault: Case) async throws {
        let rules = #"rules: [{ name: "it", times: 1, then: "\#(fault.word)" }], decisionMs: 0"#
        try await withSimulator(rules) { world in
            let body = Bodies.refund()
            let reply = await world.call(.refund, "4711", body)
            #expect(reply.status == fault.status)
            #expect(reply.code == fault.code)
            let entry = try #require(await world.entries(of: "4711").first)
            #expect(entry.fault == fault.word)
            #expect(entry.rule == "it")
            #expect(entry.isProcessed == fault.isProcessed)
            #expect(entry.status == fault.status)
            #expect(entry.code == fault.code)

            let again = await world.call(.refund, "4711", body)
            #expect(again.status == 200)
            #expect(Set(again.object.keys) == ["signedTransactionInfo", "signedRenewalInfo"])
            #expect(await world.entries(of: "4711").last?.isRepeat == fault.isProcessed)
        }
    }

    @Test(arguments: [
        Case(word: "cut-before", status: nil, isProcessed: false), Case(word: "cut", status: nil, isProcessed: false),
        Case(word: "cut-after", status: 200, isProcessed: true),
    ])
    func `a cut connection brings no answer, processed or not`(fault: Case) async throws {
        try await withSimulator(#"rules: [{ times: 1, then: "\#(fault.word)" }]"#) { world in
            let body = Bodies.refund()
            let reply = await world.call(.refund, "4711", body)
            #expect(reply.wasCut)
            let entry = try #require(await world.entries(of: "4711").first)
            #expect(entry.ending == .cut)
            #expect(entry.isProcessed == fault.isProcessed)
            #expect(entry.lostStatus == fault.status)
            #expect(entry.status == nil)
            #expect((entry.bodyHash == nil) == (fault.word == "cut-before"))
            #expect(entry.bundleId == "com.example.reader")
            #expect(await world.call(.refund, "4711", body).status == 200)
        }
    }

    @Test(arguments: [
        Case(word: "hang", status: nil, isProcessed: false), Case(word: "hang-after", status: 200, isProcessed: true),
    ])
    func `a hanging call is never answered, and holds nobody else up`(fault: Case) async throws {
        try await withSimulator(#"rules: [{ times: 1, then: "\#(fault.word)" }]"#) { world in
            var arrivals = await world.simulator.arrivals().makeAsyncIterator()
            let call = Task { await world.call(.refund, "4711", Bodies.refund()) }
            let entry = try #require(await arrivals.next())
            // Another call is answered meanwhile, this one isn't until its caller gives up.
            #expect(await world.call(.refund, "4712", Bodies.refund()).status == 200)
            call.cancel()
            #expect(await call.value.failure == .cancelled)
            #expect(entry.ending == .hung)
            #expect(entry.isProcessed == fault.isProcessed)
            #expect(entry.lostStatus == fault.status)
        }
    }

    /// As docs/simulator.md says: a proxy makes something of a connection that is cut, and of nothing else.
    @Test(.enabled(if: Wire.available.contains(.http2), "nghttpx is not installed; scripts/setup installs it"))
    func `every word comes through a proxy that speaks HTTP/2, and a cut as 502`() async throws {
        let cuts = ["cut-before", "cut", "cut-after"].map {
            Case(word: $0, status: 502, isProcessed: $0 == "cut-after")
        }
        let cases = Self.answers + Self.codes.filter { code in !Self.answers.contains { $0.word == code.word } } + cuts
        let rules = cases.map { #"{ when: { transactionId: "t-\#($0.word)-1" }, times: 1, then: "\#($0.word)" }"# }
        try await withSimulator("rules: [\(rules.joined(separator: ","))], decisionMs: 0", over: .http2) { world in
            for fault in cases {
                let transaction = "t-\(fault.word)-1"
                let body = Bodies.refund()
                let reply = await world.call(.refund, transaction, body)
                #expect(reply.status == fault.status, "\(fault.word)")
                #expect(reply.code == fault.code, "\(fault.word)")
                #expect(reply.response?.version == "2")
                // Whatever was done, the same id does it no second time.
                #expect(await world.call(.refund, transaction, body).status == 200, "\(fault.word)")
                let entries = await world.entries(of: transaction)
                #expect(entries.map(\.isProcessed) == [fault.isProcessed, !fault.isProcessed], "\(fault.word)")
            }
            let hung = await world.call(.refund, "4711-hang-after", Bodies.refund(), deadline: .milliseconds(300))
            #expect(hung.failure == .timedOut)
            #expect(await world.entries(of: "4711-hang-after").map(\.isProcessed) == [true])
        }
    }

    @Test func `an HTML page comes as HTML, a redirect with a place`() async throws {
        try await withSimulator(
            #"rules: [{ times: 1, then: "503" }, { times: 1, then: "302" }]"#
        ) {
            world in
            let page = await world.call(.refund, "4711", Bodies.refund())
            #expect(page.values(of: "Content-Type") == ["text/html"])
            #expect(page.text.contains("<html>"))
            #expect(await world.call(.refund, "4711", Bodies.refund()).values(of: "Location") == ["/elsewhere"])
        }
    }

    @Test func `Retry-After is UNIX milliseconds, or whatever a rule says`() async throws {
        let rules = """
            rules: [
              { times: 1, then: "429" },
              { times: 1, then: { word: "429", retryAfterMs: 5000 } },
              { times: 1, then: { status: 429, retryAfter: "Wed, 21 Oct 2099 07:28:00 GMT" } },
              { times: 1, then: { code: 4290000, headers: { "Retry-After": "-3" }, retryAfter: "1.5" } },
            ]
            """
        try await withSimulator(rules) { world in
            var values: [[String]] = []
            let before = Int64(Date().timeIntervalSince1970 * 1000)
            func number(_ value: String?) -> Int64 { value.flatMap { Int64($0) } ?? 0 }
            for _ in 0..<4 {
                values.append(await world.call(.refund, "4711", Bodies.refund()).values(of: "Retry-After"))
            }
            let after = Int64(Date().timeIntervalSince1970 * 1000) + 1
            #expect((before + 1000...after + 1000).contains(number(values[0].first)))
            #expect((before + 5000...after + 5000).contains(number(values[1].first)))
            #expect(values[2] == ["Wed, 21 Oct 2099 07:28:00 GMT"])
            #expect(values[3].sorted() == ["-3", "1.5"])
        }
    }

    @Test func `a fault can be spelt out`() async throws {
        let rules = """
            rules: [
              { times: 1, then: { status: 418, body: "tea", contentType: "text/plain", headers: { "X-Pot": "small" } } },
              { times: 1, then: { code: 4030020, message: "no money" } },
              { times: 1, then: { code: 1234567, status: 409 } },
              { times: 1, then: { status: 502, process: true } },
              { times: 1, then: { end: "cut", process: true, latencyMs: 10 } },
              { times: 1, then: { latencyMs: 10 } },
            ]
            """
        try await withSimulator(rules) { world in
            let tea = await world.call(.refund, "1", Bodies.refund())
            #expect(tea.status == 418)
            #expect(tea.text == "tea")
            #expect(tea.values(of: "X-Pot") == ["small"])
            let money = await world.call(.refund, "2", Bodies.refund())
            #expect(money.object["errorMessage"] as? String == "no money")
            let odd = await world.call(.refund, "3", Bodies.refund())
            #expect(odd.status == 409)
            #expect(odd.code == 1_234_567)
            #expect(await world.call(.refund, "4", Bodies.refund()).status == 502)
            #expect(await world.call(.refund, "5", Bodies.refund()).wasCut)
            #expect(await world.call(.refund, "6", Bodies.refund()).status == 200)
            let entries = await world.simulator.entries
            #expect(entries.map(\.isProcessed) == [false, false, false, true, true, true])
            #expect(entries.map(\.latencyMs) == [0, 0, 0, 0, 10, 10])
        }
    }

    @Test func `what is processed behind a fault is what would have happened without it`() async throws {
        try await withSimulator(#"rules: [{ then: "cut-after" }]"#) { world in
            let wrong = Bodies.refund(type: "HALF")
            #expect(await world.call(.refund, "4711", wrong).wasCut)
            let entry = try #require(await world.entries(of: "4711").first)
            #expect(!entry.isProcessed)
            #expect(entry.lostStatus == 400)
            #expect(entry.lostCode == 4_000_123)
        }
    }

    @Test func `an addendum that lapsed refuses everything, as it is told to`() async throws {
        try await withSimulator(app: #"addendum: "lapsed""#) { world in
            for (endpoint, body) in [
                (String.refund, Bodies.refund()), (.revoke, Bodies.revoke()), (.cancel, Bodies.cancel()),
            ] {
                let reply = await world.call(endpoint, "4711", body)
                #expect(reply.status == 403)
                #expect(reply.code == 4_039_999)
            }
        }
        try await withSimulator(app: "addendum: { status: 403, code: null }") { world in
            let reply = await world.call(.refund, "4711", Bodies.refund())
            #expect(reply.status == 403)
            #expect(reply.code == nil)
        }
        try await withSimulator(app: #"addendum: "accepted""#) { world in
            #expect(await world.call(.refund, "4711", Bodies.refund()).status == 200)
        }
    }
}
