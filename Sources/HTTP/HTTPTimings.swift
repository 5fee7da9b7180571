/// How long the steps of a transfer took, each counted from its start; nil for a step that was not reached or not needed.
package struct HTTPTimings: Sendable, Hashable {
    /// Whether the transfer had to make a connection of its own (libcurl's `CURLINFO_NUM_CONNECTS`).
    package var madeConnection = false
    /// The TCP connection stood.
    package var connected: Duration?
    /// The TLS handshake was through.
    package var secured: Duration?
    /// The request was about to be written.
    package var departed: Duration?
    /// The first byte of the answer was here.
    package var firstByte: Duration?
    package var total: Duration = .zero

    package init() {}
}
