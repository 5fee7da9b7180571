import AppStoreSimulator
import Testing

/// Steering a running simulator over HTTP.
@Suite struct ControlDeskTests {
    @Test func `a rule that is posted applies from now on, before the others, until it is taken away`() async throws {
        try await withSimulator(#"rules: [{ name: "old", then: "502" }]"#) { world in
            func status() async -> Int? { await world.call(.refund, "4711", Bodies.refund()).status }
            #expect(await status() == 502)
            #expect(await world.send("POST", "/_simulator/rules", #"{ name: "new", then: "503" }"#).status == 200)
            #expect(await status() == 503)
            #expect(await world.send("DELETE", "/_simulator/rules?name=new").status == 200)
            #expect(await status() == 502)
            let listed = await world.send("GET", "/_simulator/rules")
            #expect(listed.text.contains(#"{"name":"old","then":"502","applied":2}"#))
            #expect(await world.send("DELETE", "/_simulator/rules").status == 200)
            #expect(await status() == 200)
            let two = #"[{ times: 1, then: "500" }, { times: 1, then: "504" }]"#
            #expect(await world.send("POST", "/_simulator/rules", two).status == 200)
            #expect(await [status(), status()] == [500, 504])
        }
    }

    @Test func `a mistake in what is posted is told with its place, and nothing changes`() async throws {
        try await withSimulator { world in
            let reply = await world.send("POST", "/_simulator/rules", #"{ when: { endpont: "cancel" }, then: "503" }"#)
            #expect(reply.status == 400)
            #expect(reply.text.contains("when.endpont"))
            #expect(await world.send("GET", "/_simulator/rules").text == "{\"rules\":[]}\n")
            #expect(await world.send("POST", "/_simulator/scenario", #"{ repeats: "never" }"#).status == 400)
            #expect(await world.send("GET", "/_simulator/nothing").status == 404)
            #expect(await world.send("GET", "/_simulator").text.contains("/_simulator/report"))
        }
    }

    @Test func `another scenario keeps apps and book, a reset forgets what happened`() async throws {
        try await withSimulator("decisionMs: 0") { world in
            let body = Bodies.refund()
            #expect(await world.call(.refund, "4711", body).status == 200)
            let strict = #"{ repeats: "reject-4000097", decisionMs: 0 }"#
            #expect(await world.send("POST", "/_simulator/scenario", strict).status == 200)
            #expect(await world.call(.refund, "4711", body).code == 4_000_097)
            #expect(await world.call(.refund, "4711", Bodies.refund()).code == 4_030_021)
            let stranger = TestApp(key: TestApp.otherKey).authorization
            #expect(await world.call(.refund, "1", Bodies.refund(), authorization: stranger).status == 401)

            #expect(await world.send("POST", "/_simulator/reset").status == 200)
            #expect(await world.call(.refund, "4711", body).status == 200)
            #expect(await world.simulator.entries.map(\.number) == [1])
        }
    }

    @Test func `the report and the journal's tail can be fetched, and fetching isn't an arrival`() async throws {
        try await withSimulator(#"repeats: "process-twice""#) { world in
            let body = Bodies.refund()
            for _ in 0..<2 { _ = await world.call(.refund, "4711", body) }
            for _ in 0..<2 {
                let report = await world.send("GET", "/_simulator/report")
                #expect(report.object["arrivals"] as? Int == 2)
                #expect(report.object["forgottenLines"] as? Int == 0)
                #expect((report.object["refundsTakenTwice"] as? [Any])?.count == 1)
            }
            let text = await world.send("GET", "/_simulator/report?format=text")
            #expect(text.text.contains("refunds taken: 1, more than once: 1"))
            let tail = await world.send("GET", "/_simulator/journal?last=1000").text.split(separator: "\n")
            let arrivals = tail.compactMap { JournalLine(reading: Array($0.utf8)) }.filter {
                if case .arrival = $0 { true } else { false }
            }
            #expect(arrivals.count == 2)
            let one = await world.send("GET", "/_simulator/journal?last=1").text
            #expect(one.split(separator: "\n").count == 1)
        }
    }
}
