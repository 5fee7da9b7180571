/// What a server shows its clients: a certificate, its issuers after it, and the private key. All PEM.
package struct TLSIdentity: Sendable, CustomStringConvertible, CustomReflectable {
    package let certificatePEM: String
    /// A secret.
    package let keyPEM: String

    package init(certificatePEM: String, keyPEM: String) {
        self.certificatePEM = certificatePEM
        self.keyPEM = keyPEM
    }

    package var description: String { "<certificate and private key>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
