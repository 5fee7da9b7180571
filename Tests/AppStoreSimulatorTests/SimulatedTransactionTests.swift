import AppStoreSimulator
import Testing

/// What Apple says about purchases that it knows in detail.
@Suite struct SimulatedTransactionTests {
    static let known = """
        unlistedTransactions: "refuse",
        transactions: {
          plain: { storefront: "DEU", currency: "EUR", items: { base: 9990, "audiobook.4711": 4990 } },
          single: { items: { "audiobook.4711": 4990 } },
          american: { storefront: "USA" }, dollars: { currency: "USD" }, old: { latest: false },
          ended: { active: false, items: { "audiobook.4711": 4990 } }, final: { refundable: false },
          asked: { pendingRefund: true }, given: { refunded: true },
        }
        """

    @Test(arguments: [
        ("plain", Bodies.refund(), 200), ("nowhere", Bodies.refund(), 4_040_010),
        ("american", Bodies.refund(), 4_000_133), ("dollars", Bodies.refund(), 4_000_053),
        ("old", Bodies.refund(type: "PRORATED"), 4_000_182), ("old", Bodies.refund(), 200),
        ("plain", Bodies.refund(sku: "never.bought"), 4_000_122),
        ("single", Bodies.refund(), 4_000_168), ("single", Bodies.refund(revoke: false), 200),
        ("ended", Bodies.refund(), 200), ("final", Bodies.refund(), 4_030_024),
        ("asked", Bodies.refund(), 4_000_181), ("given", Bodies.refund(), 4_030_021),
    ])
    func `a refund meets what is known of the purchase`(transactionId: String, body: String, expected: Int) async throws
    {
        try await withSimulator(app: Self.known) { world in
            let reply = await world.call(.refund, transactionId, body)
            #expect((reply.code ?? reply.status) == expected)
            #expect(reply.status == (expected == 200 ? 200 : expected / 10_000))
        }
    }

    @Test(arguments: [
        ("american", 200), ("ended", 4_000_186), ("plain", 4_000_133), ("asked", 4_000_181), ("nowhere", 4_040_010),
    ])
    func `a revoke does so too`(transactionId: String, expected: Int) async throws {
        try await withSimulator(app: Self.known) { world in
            let reply = await world.call(.revoke, transactionId, Bodies.revoke())
            #expect((reply.code ?? reply.status) == expected)
        }
    }

    @Test func `a cancel looks at the storefront only`() async throws {
        try await withSimulator(app: Self.known) { world in
            #expect(await world.call(.cancel, "asked", Bodies.cancel()).status == 200)
            #expect(await world.call(.cancel, "plain", Bodies.cancel()).code == 4_000_133)
        }
    }

    @Test func `with another app's token a transaction isn't found`() async throws {
        let apps = #"transactions: { theirs: {} } }, "com.example.other": { transactions: { others: {} }"#
        try await withSimulator(app: apps) { world in
            let other = TestApp(bundleId: "com.example.other").authorization
            #expect(await world.call(.refund, "theirs", Bodies.refund(), authorization: other).code == 4_040_010)
            #expect(await world.call(.refund, "others", Bodies.refund(), authorization: other).status == 200)
            #expect(await world.call(.refund, "nobodys", Bodies.refund(), authorization: other).status == 200)
        }
    }

    @Test func `a consistency token is good until something changes`() async throws {
        try await withSimulator("decisionMs: 0") { world in
            func cancel(token: String) async -> Int? {
                let body = Bodies.cancel().replacing(
                    #""requestInfo":{"#, with: #""requestInfo":{"consistencyToken":"\#(token)","#)
                let reply = await world.call(.cancel, "4711", body)
                return reply.code ?? reply.status
            }
            #expect(await cancel(token: "invented") == 4_000_082)
            let first = await world.call(.cancel, "4711", Bodies.cancel())
            let renewal = try SignedPayload(#require(first.object["signedRenewalInfo"] as? String))
            let info = try #require(renewal.payload["advancedCommerceInfo"] as? [String: Any])
            let token = try #require(info["consistencyToken"] as? String)
            #expect(await cancel(token: token) == 200)
            #expect(await cancel(token: token) == 4_000_082)
        }
    }
}
