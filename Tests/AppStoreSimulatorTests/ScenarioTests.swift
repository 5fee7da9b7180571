import Crypto
import Foundation
import TestSupport
import Testing

@testable import AppStoreSimulator

@Suite struct ScenarioTests {
    @Test func `an empty file is a friendly Apple`() throws {
        let scenario = try Scenario(json5: Array("{ /* nothing */ }".utf8))
        #expect(scenario.acceptsAnyApp)
        #expect(scenario.repeats == .replay)
        #expect(scenario.conventions)
        #expect(scenario.decisionMs == 2000)
        #expect(scenario.pending == .sku)
        #expect(scenario.rules.isEmpty)
    }

    @Test func `naming an app closes the door for others, unless it is left open`() throws {
        #expect(try !Scenario(json5: Array("{ apps: { a: {} } }".utf8)).acceptsAnyApp)
        #expect(try Scenario(json5: Array("{ apps: { a: {} }, acceptAnyApp: true }".utf8)).acceptsAnyApp)
    }

    @Test func `the documented hourly limits are the default`() throws {
        let scenario = try Scenario(json5: Array(#"{ apps: { a: {}, b: { environment: "sandbox" } } }"#.utf8))
        #expect(scenario.apps["a"]?.limit == Limit(perSecond: nil, perHour: 18_000))
        #expect(scenario.apps["b"]?.limit == Limit(perSecond: nil, perHour: 1_800))
    }

    @Test(arguments: [
        ("{ rulez: [] }", "rulez: unknown key"),
        ("{ apps: { a: { bundelId: 1 } } }", "apps.a.bundelId: unknown key"),
        (#"{ rules: [{ then: "503" }, { then: "explode" }] }"#, "rules[1].then: \"explode\" is none of"),
        ("{ rules: [{}] }", "rules[0].then: is missing"),
        (#"{ rules: [{ then: "503", when: { nth: 1 } }] }"#, "rules[0].when.nth: unknown key"),
        (
            #"{ rules: [{ then: "503", when: { endpoint: "refund" } }] }"#,
            "rules[0].when.endpoint: \"refund\" is none of"
        ),
        (#"{ rules: [{ then: "503", when: { probability: 2 } }] }"#, "rules[0].when.probability: must lie"),
        (#"{ rules: [{ then: "503", when: { arrivals: { from: 0 } } }] }"#, "rules[0].when.arrivals.from: must lie"),
        (#"{ rules: [{ then: { status: 700 } }] }"#, "rules[0].then.status: must lie"),
        (#"{ rules: [{ then: { code: 17 } }] }"#, "rules[0].then.code: has 7 digits"),
        (#"{ rules: [{ then: { process: false } }] }"#, "rules[0].then: a request that isn't processed"),
        (#"{ repeats: "sometimes" }"#, "repeats: \"sometimes\" is none of: replay-200, reject-4000097, process-twice"),
        (#"{ latencyMs: -1 }"#, "latencyMs: must lie"),
        (#"{ apps: { a: { addendum: "maybe" } } }"#, "apps.a.addendum: must be"),
        (#"{ apps: { a: { limit: { perSecond: -1 } } } }"#, "apps.a.limit.perSecond: must not be negative"),
        (#"{ apps: { a: { limit: { perSecond: "5" } } } }"#, "apps.a.limit.perSecond: "),
        (#"{ apps: { a: { publicKey: "nonsense" } } }"#, "apps.a.publicKey: "),
        (#"{ apps: { a: { privateKey: "file:/no/such/file.p8" } } }"#, "apps.a.privateKey: can't read the file"),
        (
            #"{ apps: { a: { transactions: { t: { type: "gift" } } } } }"#,
            "apps.a.transactions.t.type: \"gift\" is none of"
        ),
        ("{ ", ""),
    ])
    func `a mistake is told with the path of its key`(text: String, message: String) throws {
        let error = try #require(throws: ScenarioError.self) { try Scenario(json5: Array(text.utf8)) }
        #expect(error.description.hasPrefix(message), "\(error)")
    }

    @Test func `a key may lie in a file beside the scenario, public or private`() async throws {
        try await withTemporaryFolder { folder in
            try TestApp.key.pemPKCS8.write(toFile: folder["AuthKey.p8"], atomically: true, encoding: .utf8)
            try TestApp.key.publicKey.pem.write(toFile: folder["key.pem"], atomically: true, encoding: .utf8)
            for member in [#"privateKey: "file:AuthKey.p8""#, #"publicKey: "file:\#(folder["key.pem"])""#] {
                let text = "{ apps: { \"com.example.reader\": { \(member) } } }"
                let scenario = try Scenario(json5: Array(text.utf8), folder: folder.path)
                try await withSimulator(change: { $0.scenario = scenario }) { world in
                    #expect(await world.call(.refund, "1", Bodies.refund()).status == 200)
                    let stranger = TestApp(key: TestApp.otherKey).authorization
                    #expect(await world.call(.refund, "1", Bodies.refund(), authorization: stranger).status == 401)
                }
            }
        }
    }
}
