import AppStoreSimulator
import Crypto
import Foundation
import TestSupport
import Testing

@Suite struct CredentialsTests {
    @Test func `keys that are made open the door, and no others do`() async throws {
        try await withTemporaryFolder { folder in
            let options: (inout SimulatorOptions) -> Void = {
                $0.scenario = Scenario()
                $0.credentialsFolder = folder["keys"]
            }
            try await withSimulator(change: options) { world in
                let made = try #require(world.simulator.credentials)
                let app = try #require(made.apps.first)
                #expect(made.apps.count == 1)
                let pem = try String(contentsOfFile: app.keyPath, encoding: .utf8)
                var caller = TestApp(
                    bundleId: app.bundleId, issuerId: app.issuerId, keyId: app.keyId, key: try SigningKey(pem: pem))
                let good = caller.authorization
                #expect(await world.call(.refund, "1", Bodies.refund(), authorization: good).status == 200)
                caller.key = TestApp.otherKey
                let bad = caller.authorization
                #expect(await world.call(.refund, "1", Bodies.refund(), authorization: bad).status == 401)
                #expect(made.configuration(baseURL: "http://[::1]:1").contains("baseURL: \"http://[::1]:1\",\n}"))
            }
        }
    }
}
