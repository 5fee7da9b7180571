/// What lies between workers and a simulated App Store.
package enum Wire: String, Sendable, CaseIterable {
    /// HTTP/1.1 in the clear.
    case plain
    /// HTTP/1.1 over the simulator's own TLS.
    case tls
    /// HTTP/2 over TLS, spoken by nghttpx with the simulator's certificate, and TLS once more behind it.
    case http2

    package static let available = allCases.filter { $0 != .http2 || HTTP2Front.program != nil }

    /// For tests on which TLS alone has no say: one of each version of HTTP.
    package static let versions = available.filter { $0 != .tls }
}
