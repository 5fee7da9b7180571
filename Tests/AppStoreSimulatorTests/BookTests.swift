import AppStoreSimulator
import Testing

/// What this Apple remembers of money.
@Suite struct BookTests {
    @Test func `a full refund can't be asked for twice: pending first, refunded once it is decided`() async throws {
        try await withSimulator("decisionMs: 3600000") { world in
            #expect(await world.call(.refund, "4711", Bodies.refund()).status == 200)
            #expect(await world.call(.refund, "4711", Bodies.refund()).code == 4_000_181)
        }
        try await withSimulator("decisionMs: 0") { world in
            #expect(await world.call(.refund, "4711", Bodies.refund()).status == 200)
            let again = await world.call(.refund, "4711", Bodies.refund())
            #expect(again.status == 403)
            #expect(again.code == 4_030_021)
            #expect(await world.call(.refund, "4711", Bodies.refund(sku: "another")).status == 200)
        }
    }

    @Test func `partial refunds add up to the price and no further`() async throws {
        let app = #"transactions: { "4711": { items: { "audiobook.4711": 9990, other: 1000 } } }"#
        try await withSimulator("decisionMs: 0", app: app) { world in
            func ask(_ amount: Int) async -> Int? {
                let reply = await world.call(.refund, "4711", Bodies.refund(type: "CUSTOM", amount: amount))
                return reply.code ?? reply.status
            }
            #expect(await ask(5000) == 200)
            #expect(await ask(5000) == 4_000_132)
            #expect(await ask(4990) == 200)
            #expect(await ask(10) == 4_030_021)
            let audit = await world.simulator.report()
            #expect(audit.refundsTakenTwice.map(\.takings.count) == [2])
            #expect(audit.refundsTakenTwice.first?.isTwiceUnderSeveralIds == true)
        }
    }

    @Test(arguments: [("never", 200), ("sku", 200), ("transaction", 4_000_181)])
    func `what a pending refund blocks is a setting`(rule: String, expected: Int) async throws {
        try await withSimulator(#"decisionMs: 3600000, pending: "\#(rule)""#) { world in
            #expect(await world.call(.refund, "4711", Bodies.refund()).status == 200)
            let other = await world.call(.refund, "4711", Bodies.refund(sku: "another"))
            #expect((other.code ?? other.status) == expected)
        }
    }

    @Test func `an Apple that forgets takes everything, for clients that must not ask`() async throws {
        try await withSimulator(#"doubleRefunds: "accept""#) { world in
            for _ in 0..<3 { #expect(await world.call(.refund, "4711", Bodies.refund()).status == 200) }
            #expect(await world.simulator.report().refundsTakenTwice.first?.referenceIds.count == 3)
        }
    }

    @Test func `a revoked subscription is over for all its transactions`() async throws {
        let app = #"transactions: { new: { originalTransactionId: "old" }, old: {} }"#
        try await withSimulator("decisionMs: 0", app: app) { world in
            #expect(await world.call(.cancel, "new", Bodies.cancel()).status == 200)
            #expect(await world.call(.cancel, "new", Bodies.cancel()).status == 200, "cancelling twice is no mistake")
            #expect(await world.call(.revoke, "new", Bodies.revoke()).status == 200)
            #expect(await world.call(.revoke, "old", Bodies.revoke()).code == 4_000_186)
            #expect(await world.call(.refund, "new", Bodies.refund()).code == 4_030_021)
            #expect(await world.call(.cancel, "old", Bodies.cancel()).code == 4_030_010)
        }
    }

    @Test func `a revoke that isn't decided is pending`() async throws {
        try await withSimulator("decisionMs: 3600000") { world in
            #expect(await world.call(.revoke, "4711", Bodies.revoke()).status == 200)
            #expect(await world.call(.revoke, "4711", Bodies.revoke()).code == 4_000_181)
            #expect(await world.call(.refund, "4711", Bodies.refund()).code == 4_000_181)
        }
    }
}
