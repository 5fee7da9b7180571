package import Crypto
package import Refunds

/// `apps.<name>`: one app of one of Apple's environments.
package struct AppSettings: Sendable {
    package let name: String
    package let bundleId: String
    package let appAppleId: Int64?
    package let environment: Environment
    package let issuerId: String
    package let keyId: String
    package let privateKey: SigningKey
    /// Scheme, host and port, without a slash at the end.
    package let baseURL: String
    /// The full path of a file of PEM certificates that are trusted for `baseURL`, beside the system's.
    package let caFile: String?
    package let limit: Limit
    package let retry: Retry
    /// How long a job waits for the outcome of a refund that the customer asked Apple for.
    package let hold: Duration
    /// Whether something outside of Kulanz answers Apple's questions about usage.
    package let answersConsumption: Bool
    package let alerts: Alerts

    /// What may leave, the three endpoints together.
    package struct Limit: Sendable, Hashable {
        package let requestsPerSecond: Double
        package let guardMilliseconds: Int
    }

    package struct Retry: Sendable, Hashable {
        package let maxAttempts: Int
        package let base: Duration
        package let cap: Duration
        /// From the first send.
        package let giveUpAfter: Duration
    }

    package struct Alerts: Sendable, Hashable {
        package let webhook: String?
    }

    /// What checking a job needs to know of this app.
    package var rules: AppRules {
        AppRules(name: name, environment: environment, allowsRiskingPreference: answersConsumption)
    }
}
