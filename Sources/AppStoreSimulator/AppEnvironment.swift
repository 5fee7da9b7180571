/// Which of Apple's two worlds an app's calls live in.
package enum AppEnvironment: String, Sendable, Hashable, Codable, CaseIterable {
    case production
    case sandbox

    /// As it stands in signed payloads.
    var name: String { self == .production ? "Production" : "Sandbox" }
}
