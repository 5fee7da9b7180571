import Refunds

/// The three apps of the demo. The addendum of the third has lapsed.
enum DemoApp: String, Sendable, CaseIterable {
    case audiobooks, courses, podcasts

    var name: String { rawValue }
    var bundleId: String { "com.example.\(rawValue)" }
    var hasLapsed: Bool { self == .podcasts }
    var rules: AppRules { AppRules(name: name, environment: .production) }

    /// As App Store Connect issues them: ten letters and digits.
    var keyId: String {
        switch self {
        case .audiobooks: "DEMOAUDIO1"
        case .courses: "DEMOCOURS2"
        case .podcasts: "DEMOPODCA3"
        }
    }

    var keyFile: String { "AuthKey_\(keyId).p8" }
    static let issuerId = "57246542-96fe-1a63-e053-0824d011072a"

    /// What the ids of the app's jobs begin with.
    var idPrefix: String {
        switch self {
        case .audiobooks: "case"
        case .courses: "ticket"
        case .podcasts: "outage"
        }
    }
}
