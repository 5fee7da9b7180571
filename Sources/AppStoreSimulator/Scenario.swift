import Foundation

/// Everything about this Apple that can be set: who may call, what is known, what goes wrong and when.
///
/// Read from JSON5. Every key has a default, so an empty scenario is a friendly Apple that knows every transaction.
package struct Scenario: Sendable {
    /// What a request with an already processed requestReferenceId gets. Apple's own behaviour is unknown.
    package enum RepeatMode: String, Sendable, CaseIterable {
        /// The answer of the first time, again; nothing more happens.
        case replay = "replay-200"
        /// 4000097; a cancel, for which Apple doesn't list that code, is replayed.
        case reject = "reject-4000097"
        /// The worst Apple: the refund is taken again.
        case processTwice = "process-twice"
    }

    /// Which undecided refunds make a further one fail with 4000181.
    package enum PendingRule: String, Sendable, CaseIterable {
        /// A full or prorated refund of the same SKU, still undecided. Partial amounts add up.
        case sku
        /// Any undecided refund of the same transaction, as the wording of Apple's error suggests.
        case transaction
        case never
    }

    package enum UnknownFields: String, Sendable, CaseIterable {
        case ignore
        /// 4000173, to find typos in a client.
        case refuse
    }

    package var apps: [String: SimulatedApp] = [:]
    /// Take calls of apps that aren't listed. Their signatures can't be checked, everything else of the token is.
    package var acceptsAnyApp: Bool
    package var rules: [Rule] = []
    package var repeats = RepeatMode.replay
    /// Whether transaction identifiers like `…-cut-after` have their special meanings.
    package var conventions = true
    package var seed: UInt64 = 1
    /// Held back from every answer.
    package var latencyMs: Int64 = 0
    /// How long Apple ponders a refund before it counts as decided.
    package var decisionMs: Int64 = 2000
    package var pending = PendingRule.sku
    /// False: an Apple that forgets what it refunded, so that a client's own doubles become visible.
    package var refusesDoubleRefunds = true
    package var unknownFields = UnknownFields.ignore
    package var maximumItems = 100

    /// The Apple without a scenario file: any app, any transaction.
    package init(acceptsAnyApp: Bool = true) { self.acceptsAnyApp = acceptsAnyApp }

    /// Reads JSON5. `folder` is where `file:` values are looked for.
    package init(json5 bytes: [UInt8], folder: String = ".") throws(ScenarioError) {
        self = try readJSON5(Scenario.self, from: bytes, folder: folder)
    }
}

/// Reads one JSON5 value with key paths in its errors.
func readJSON5<Value: Decodable>(
    _ type: Value.Type, from bytes: [UInt8], folder: String = "."
) throws(ScenarioError) -> Value {
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    decoder.userInfo[.scenarioFolder] = folder
    do {
        return try decoder.decode(type, from: Data(bytes))
    } catch let error as ScenarioError {
        throw error
    } catch let error as DecodingError {
        throw ScenarioError(error)
    } catch {
        throw ScenarioError(path: "", problem: String(describing: error))
    }
}

extension CodingUserInfoKey {
    // The only way to make such a key is failable, and it never fails.
    static let scenarioFolder: CodingUserInfoKey =
        CodingUserInfoKey(rawValue: "kulanz.scenarioFolder") ?? { preconditionFailure("a key from a literal") }()
}

extension Scenario: Decodable {
    enum Keys: String, ScenarioKeys {
        case apps, acceptAnyApp, rules, repeats, conventions, seed, latencyMs, decisionMs, pending, doubleRefunds
        case unknownFields, maximumItems
    }

    enum DoubleRefunds: String, CaseIterable { case refuse, accept }

    package init(from decoder: any Decoder) throws {
        let keys = try decoder.strict(Keys.self)
        apps = try keys.value(.apps, or: [:])
        for (bundleId, app) in apps { apps[bundleId] = app.named(bundleId) }
        acceptsAnyApp = try keys.value(.acceptAnyApp, or: apps.isEmpty)
        rules = try keys.value(.rules, or: [])
        repeats = try keys.word(.repeats, or: .replay)
        conventions = try keys.value(.conventions, or: true)
        seed = try keys.value(.seed, or: 1)
        latencyMs = try keys.number(.latencyMs, or: 0, in: 0...3_600_000)
        decisionMs = try keys.number(.decisionMs, or: 2000, in: 0...86_400_000)
        pending = try keys.word(.pending, or: .sku)
        refusesDoubleRefunds = try keys.word(.doubleRefunds, or: DoubleRefunds.refuse) == .refuse
        unknownFields = try keys.word(.unknownFields, or: .ignore)
        maximumItems = Int(try keys.number(.maximumItems, or: 100, in: 1...100_000))
    }
}
