package import Crypto
package import Refunds

/// What it takes to call Apple in one app's name. Complete by construction; its key prints nothing of itself.
package struct AppCredentials: Sendable {
    /// Apple's `bid`: a token for another bundle makes every transaction "not found".
    package let bundleId: String
    /// The issuer from App Store Connect's page of keys.
    package let issuerId: String
    /// The key's own identifier, such as `2X9R4HXF34`.
    package let keyId: String
    package let key: SigningKey
    package let environment: Environment
    package let baseURL: BaseURL

    package enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        case emptyBundleId
        case emptyIssuerId
        case emptyKeyId
        /// The base URL is Apple's host for this environment, which isn't the app's.
        case hostOfOtherEnvironment(Environment)

        package var description: String {
            switch self {
            case .emptyBundleId: "The bundle ID is missing, as in com.example.reader."
            case .emptyIssuerId: "The issuer ID is missing; App Store Connect shows it above the list of keys."
            case .emptyKeyId: "The key ID is missing; it is part of the key file's name, AuthKey_<keyId>.p8."
            case .hostOfOtherEnvironment(let environment):
                """
                The base URL is Apple's \(environment.rawValue) host, but the app's environment is the other one: Apple \
                would find none of its transactions.
                """
            }
        }
    }

    /// - Parameter baseURL: Nil for the host that Apple recommends for the environment.
    package init(
        bundleId: String, issuerId: String, keyId: String, key: SigningKey, environment: Environment,
        baseURL: BaseURL? = nil
    ) throws(Failure) {
        guard !bundleId.isEmpty else { throw .emptyBundleId }
        guard !issuerId.isEmpty else { throw .emptyIssuerId }
        guard !keyId.isEmpty else { throw .emptyKeyId }
        let baseURL = baseURL ?? .recommended(for: environment)
        if let actual = baseURL.appleEnvironment, actual != environment { throw .hostOfOtherEnvironment(actual) }
        self.bundleId = bundleId
        self.issuerId = issuerId
        self.keyId = keyId
        self.key = key
        self.environment = environment
        self.baseURL = baseURL
    }
}
