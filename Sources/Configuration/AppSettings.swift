package import AppStore
package import Queue
package import Refunds

/// `apps.<name>`: one app of one of Apple's environments.
package struct AppSettings: Sendable {
    package let name: String
    package let credentials: AppCredentials
    package let appAppleId: Int64?
    /// The full path of a file of PEM certificates that are trusted for the base URL, beside the system's.
    package let caFile: String?
    /// What may leave, the three endpoints together.
    package let rate: GateRate
    package let retry: RetryPolicy
    /// How long a job waits for the outcome of a refund that the customer asked Apple for.
    package let hold: Duration
    /// Whether something outside of Kulanz answers Apple's questions about usage.
    package let answersConsumption: Bool
    /// Where alarms go.
    package let webhook: String?

    package var bundleId: String { credentials.bundleId }
    package var environment: Environment { credentials.environment }

    /// What checking a job needs to know of this app.
    package var rules: AppRules {
        AppRules(name: name, environment: environment, allowsRiskingPreference: answersConsumption)
    }
}
