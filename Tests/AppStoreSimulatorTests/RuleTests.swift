import AppStoreSimulator
import Testing

/// When a rule applies.
@Suite struct RuleTests {
    /// The statuses that calls get, in order.
    private func statuses(
        _ rule: String, calls: [(endpoint: String, transactionId: String, body: String)], scenario: String = ""
    ) async throws -> [Int] {
        try await withSimulator("rules: [\(rule)], doubleRefunds: \"accept\", \(scenario)") { world in
            var statuses: [Int] = []
            for call in calls {
                statuses.append(await world.call(call.endpoint, call.transactionId, call.body).status ?? 0)
            }
            return statuses
        }
    }

    private func refunds(_ transactionIds: String...) -> [(String, String, String)] {
        transactionIds.map { (.refund, $0, Bodies.refund()) }
    }

    @Test func `an endpoint, a bundle and a transaction can be meant, with stars`() async throws {
        let calls = [
            (String.refund, "20001", Bodies.refund()), (.cancel, "20001", Bodies.cancel()),
            (.refund, "30001", Bodies.refund()),
        ]
        #expect(try await statuses(#"{ when: { endpoint: "cancel" }, then: "503" }"#, calls: calls) == [200, 503, 200])
        #expect(
            try await statuses(#"{ when: { transactionId: "2*1" }, then: "503" }"#, calls: calls) == [503, 503, 200])
        #expect(
            try await statuses(#"{ when: { bundleId: "com.*.reader" }, then: "503" }"#, calls: calls) == [
                503, 503, 503,
            ])
        #expect(try await statuses(#"{ when: { bundleId: "org.*" }, then: "503" }"#, calls: calls) == [200, 200, 200])
    }

    @Test func `a SKU can be meant`() async throws {
        let calls = [
            (String.refund, "1", Bodies.refund(sku: "audio.1")), (.refund, "2", Bodies.refund(sku: "video.1")),
        ]
        #expect(try await statuses(#"{ when: { SKU: "audio.*" }, then: "503" }"#, calls: calls) == [503, 200])
    }

    @Test func `arrivals can be counted: the n-th, a range, every so many`() async throws {
        let calls = refunds("1", "2", "3", "4", "5", "6")
        #expect(
            try await statuses(#"{ when: { arrivals: 2 }, then: "503" }"#, calls: calls) == [
                200, 503, 200, 200, 200, 200,
            ])
        #expect(
            try await statuses(#"{ when: { arrivals: { from: 2, to: 3 } }, then: "503" }"#, calls: calls)
                == [200, 503, 503, 200, 200, 200])
        #expect(
            try await statuses(#"{ when: { arrivals: { from: 2, every: 2 } }, then: "503" }"#, calls: calls)
                == [200, 503, 200, 503, 200, 503])
        #expect(
            try await statuses(#"{ times: 2, when: { arrivals: { every: 2 } }, then: "503" }"#, calls: calls)
                == [503, 200, 503, 200, 200, 200])
    }

    @Test func `each transaction or each id may have a count of its own`() async throws {
        let rule = #"{ when: { arrivals: 1, count: "transaction" }, then: "503" }"#
        #expect(try await statuses(rule, calls: refunds("1", "2", "1", "2", "3")) == [503, 503, 200, 200, 503])
        let id = Bodies.refund(id: Bodies.newId())
        let byId = #"{ when: { arrivals: 1, count: "referenceId" }, then: "503" }"#
        let calls = [(String.refund, "1", id), (.refund, "1", id), (.refund, "1", Bodies.refund())]
        #expect(try await statuses(byId, calls: calls) == [503, 200, 503])
    }

    @Test func `the first rule that applies decides, and later ones still count`() async throws {
        let rules = #"{ when: { arrivals: 1 }, then: "503" }, { when: { arrivals: { to: 2 } }, then: "502" }"#
        #expect(try await statuses(rules, calls: refunds("1", "2", "3")) == [503, 502, 200])
    }

    @Test func `chance is the same for the same seed`() async throws {
        let rule = #"{ when: { probability: 0.4 }, then: "503" }"#
        let calls = (0..<60).map { (String.refund, "t\($0)", Bodies.refund()) }
        let first = try await statuses(rule, calls: calls, scenario: "seed: 7")
        #expect(try await statuses(rule, calls: calls, scenario: "seed: 7") == first)
        #expect(try await statuses(rule, calls: calls, scenario: "seed: 8") != first)
        #expect((10...38).contains(first.count { $0 == 503 }))
        #expect(
            try await statuses(#"{ when: { probability: 0 }, then: "503" }"#, calls: calls).allSatisfy { $0 == 200 })
    }
}
