package import Crypto
import Foundation

/// One app that may call, and what its Apple knows.
package struct SimulatedApp: Sendable {
    package var bundleId: String
    package var environment = AppEnvironment.production
    /// Nil: any.
    package var issuerId: String?
    /// Nil: any.
    package var keyId: String?
    /// Nil: signatures can't be checked and aren't.
    package var key: VerifyingKey?
    /// What every call gets while the newest addendum isn't accepted. Apple tells neither status nor code.
    package var addendum: AddendumAnswer?
    package var limit: Limit
    /// Overrides the scenario's.
    package var repeats: Scenario.RepeatMode?
    /// Whether a transaction that isn't listed is one that exists.
    package var acceptsUnlistedTransactions = true
    package var transactions: [String: SimulatedTransaction] = [:]

    package struct AddendumAnswer: Sendable, Hashable {
        package var status = 403
        /// Nil: a plain body without a code.
        package var code: Int? = 4_039_999
        package var message = "The Advanced Commerce API Addendum has not been accepted."

        package init() {}
    }

    /// An app of whose key nothing is known.
    package init(bundleId: String, environment: AppEnvironment = .production) {
        self.bundleId = bundleId
        self.environment = environment
        limit = .documented(environment)
    }

    func named(_ bundleId: String) -> SimulatedApp {
        var app = self
        app.bundleId = bundleId
        return app
    }
}

extension SimulatedApp: Decodable {
    enum Keys: String, ScenarioKeys {
        case environment, issuerId, keyId, publicKey, privateKey, addendum, limit, repeats, unlistedTransactions
        case transactions
    }

    enum Unlisted: String, CaseIterable { case accept, refuse }

    package init(from decoder: any Decoder) throws {
        let keys = try decoder.strict(Keys.self)
        bundleId = ""
        environment = try keys.word(.environment, or: .production)
        issuerId = try keys.decodeIfPresent(String.self, forKey: .issuerId)
        keyId = try keys.decodeIfPresent(String.self, forKey: .keyId)
        key = try Self.key(from: keys, folder: decoder.userInfo[.scenarioFolder] as? String ?? ".")
        addendum = try keys.decodeIfPresent(AddendumAnswer.self, forKey: .addendum)
        if addendum?.status == 200 { addendum = nil }
        limit = try keys.decodeIfPresent(Limit.self, forKey: .limit) ?? .documented(environment)
        repeats =
            keys.contains(.repeats) ? try keys.word(.repeats, or: Scenario.RepeatMode.replay) : nil
        acceptsUnlistedTransactions = try keys.word(.unlistedTransactions, or: Unlisted.accept) == .accept
        transactions = try keys.value(.transactions, or: [:])
    }

    /// `publicKey` or `privateKey`: PEM text, or `file:` and a path. Of a private key only the public half is kept.
    private static func key(
        from keys: KeyedDecodingContainer<Keys>, folder: String
    ) throws -> VerifyingKey? {
        func pem(_ key: Keys) throws -> String? {
            guard let text = try keys.decodeIfPresent(String.self, forKey: key), text.hasPrefix("file:") else {
                return try keys.decodeIfPresent(String.self, forKey: key)
            }
            let name = String(text.dropFirst("file:".count))
            let path = name.hasPrefix("/") ? name : folder + "/" + name
            guard let content = try? String(contentsOfFile: path, encoding: .utf8) else {
                throw ScenarioError(path: keys.codingPath + [key], problem: "can't read the file \(path)")
            }
            return content
        }
        func refused(_ key: Keys, _ error: any Error) -> ScenarioError {
            ScenarioError(path: keys.codingPath + [key], problem: String(describing: error))
        }
        if let text = try pem(.publicKey) {
            do { return try VerifyingKey(pem: text) } catch { throw refused(.publicKey, error) }
        }
        if let text = try pem(.privateKey) {
            do { return try SigningKey(pem: text).publicKey } catch { throw refused(.privateKey, error) }
        }
        return nil
    }
}

extension SimulatedApp.AddendumAnswer: Decodable {
    enum Keys: String, ScenarioKeys { case status, code, message }
    enum Word: String, CaseIterable { case accepted, lapsed }

    /// `"accepted"`, `"lapsed"`, or the answer of a lapsed one as an object.
    package init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            guard let word = Word(rawValue: text) else {
                throw ScenarioError(
                    path: decoder.codingPath,
                    problem: "must be \"accepted\", \"lapsed\" or an object of status, code and message")
            }
            if word == .accepted { status = 200 }
            return
        }
        let keys = try decoder.strict(Keys.self)
        status = Int(try keys.number(.status, or: 403, in: 201...599))
        if keys.contains(.code) { code = try keys.decode(Int?.self, forKey: .code) }
        message = try keys.value(.message, or: message)
    }
}
