/// How a connection to Redis is made private: whom we trust, and who we are.
///
/// TLS 1.2 or later, and the server's certificate is always verified, its names included; there is no switch for less.
/// The files are read with every new connection, so certificates are renewed by replacing them.
package struct RedisTLS: Sendable, Hashable {
    /// A PEM file of the authorities to trust, and then no others; nil trusts the system's.
    package var caFile: String?
    /// Our certificate, with its chain behind it, for a server that asks who we are (PEM).
    package var certificateFile: String?
    /// The key of that certificate (PEM, not encrypted).
    package var keyFile: String?

    package init(caFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil) {
        self.caFile = caFile
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }

    /// Reads the files as a connection would.
    package func check() throws(RedisTLSError) { _ = try TLSContext(self) }
}
