/// Apple's two worlds. TestFlight lives in the sandbox.
package enum Environment: String, Sendable, Hashable, CaseIterable {
    case production, sandbox
}

/// What checking a job needs to know of its app.
package struct AppRules: Sendable, Hashable {
    package var name: String
    package var environment: Environment
    /// Whether somebody answers Apple's questions about usage, so that `refundRiskingPreference` may be true.
    package var allowsRiskingPreference: Bool

    package init(name: String, environment: Environment, allowsRiskingPreference: Bool = false) {
        self.name = name
        self.environment = environment
        self.allowsRiskingPreference = allowsRiskingPreference
    }

    /// The name stands between braces in every key, so that one Cluster slot holds them all.
    package static func isValid(name: String) -> Bool {
        (1...64).contains(name.utf8.count) && name.utf8.allSatisfy(ASCII.isWordOrDotOrDash)
    }
}
