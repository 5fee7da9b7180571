import AppStoreSimulator
import Testing

/// The three calls as they are when nothing goes wrong, and whatever isn't one of them.
@Suite struct SimulatorTests {
    @Test(arguments: [(String.refund, Bodies.refund()), (.revoke, Bodies.revoke()), (.cancel, Bodies.cancel())])
    func `each of the three calls is answered with both signed payloads`(endpoint: String, body: String) async throws {
        try await withSimulator { world in
            let reply = await world.call(endpoint, "4711", body)
            #expect(reply.status == 200)
            #expect(reply.values(of: "Content-Type") == ["application/json"])
            #expect(Set(reply.object.keys) == ["signedTransactionInfo", "signedRenewalInfo"])
            #expect(reply.values(of: "Date").count == 1)
        }
    }

    @Test func `a one-time purchase has no renewal info`() async throws {
        try await withSimulator(app: #"transactions: { "4711": { type: "oneTime" } }"#) { world in
            let reply = await world.call(.refund, "4711", Bodies.refund())
            #expect(Set(reply.object.keys) == ["signedTransactionInfo"])
            #expect(await world.call(.cancel, "4711", Bodies.cancel()).code == 4_030_008)
        }
    }

    @Test func `without a scenario any app and any transaction will do`() async throws {
        try await withSimulator(app: nil) { world in
            let stranger = TestApp(bundleId: "com.example.stranger", keyId: "OTHER", key: TestApp.otherKey)
            let reply = await world.call(.refund, "77", Bodies.refund(), authorization: stranger.authorization)
            #expect(reply.status == 200)
            #expect(await world.call(.refund, "77", Bodies.refund(), authorization: nil).status == 401)
        }
    }

    @Test func `what is none of the three calls is a page that can't be found`() async throws {
        try await withSimulator { world in
            #expect(await world.send("GET", "/").status == 404)
            #expect(await world.send("GET", "/advancedCommerce/v1/subscription/cancel/1").status == 405)
        }
    }
}
