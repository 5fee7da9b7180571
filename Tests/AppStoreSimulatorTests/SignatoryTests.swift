import AppStoreSimulator
import Foundation
import TestSupport
import Testing

@Suite struct SignatoryTests {
    @Test func `openssl finds both payloads signed by a chain of Apple's shape`() async throws {
        try await withTemporaryFolder { folder in
            try await withSimulator(change: { $0.rootPath = folder["the-root.pem"] }) { world in
                let reply = await world.call(.revoke, "4711", Bodies.revoke())
                let root = try String(contentsOfFile: folder["the-root.pem"], encoding: .utf8)
                for name in ["signedTransactionInfo", "signedRenewalInfo"] {
                    let signed = try SignedPayload(#require(reply.object[name] as? String))
                    #expect(signed.header["alg"] as? String == "ES256")
                    try await signed.verify(against: root, in: folder.path)
                }
                #expect(await world.send("GET", "/_simulator/root.pem").text == root)
            }
        }
    }

    @Test func `the transaction says whose it is and carries earlier refunds, not the one just asked for`() async throws
    {
        let app =
            #"transactions: { "4711": { storefront: "DEU", currency: "EUR", items: { "audiobook.4711": 9990, b: 10 } } }"#
        try await withSimulator("decisionMs: 0", app: app) { world in
            func items(of reply: SimulatorWorld.Reply) throws -> [[String: Any]] {
                let signed = try SignedPayload(#require(reply.object["signedTransactionInfo"] as? String))
                #expect(signed.payload["bundleId"] as? String == "com.example.reader")
                #expect(signed.payload["transactionId"] as? String == "4711")
                #expect(signed.payload["environment"] as? String == "Production")
                #expect(signed.payload["currency"] as? String == "EUR")
                #expect(signed.payload["price"] as? Int == 10_000)
                let info = try #require(signed.payload["advancedCommerceInfo"] as? [String: Any])
                return try #require(info["items"] as? [[String: Any]])
            }
            let first = await world.call(.refund, "4711", Bodies.refund(type: "CUSTOM", amount: 1000))
            #expect(try items(of: first).allSatisfy { $0["refunds"] == nil })
            let second = await world.call(.refund, "4711", Bodies.refund(type: "CUSTOM", amount: 2000))
            let book = try #require(try items(of: second).first { $0["price"] as? Int == 9990 })
            let refunds = try #require(book["refunds"] as? [[String: Any]])
            let amounts = refunds.map { $0["refundAmount"] as? Int }
            #expect(amounts == [1000])
        }
    }

    @Test func `a cancelled subscription doesn't renew any more`() async throws {
        try await withSimulator { world in
            let refund = await world.call(.refund, "4711", Bodies.refund())
            let cancel = await world.call(.cancel, "4711", Bodies.cancel())
            let statuses = try [refund, cancel].map {
                try SignedPayload(#require($0.object["signedRenewalInfo"] as? String)).payload["autoRenewStatus"]
                    as? Int
            }
            #expect(statuses == [1, 0])
        }
    }
}
