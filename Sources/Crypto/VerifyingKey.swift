import COpenSSL

/// A public P-256 key that checks ES256 signatures.
package struct VerifyingKey: Sendable {
    private let handle: KeyHandle

    package enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        case unreadable
        case notP256

        package var description: String {
            switch self {
            case .unreadable: "This is no public key or certificate that can be read."
            case .notP256: "The public key isn't on the curve P-256, which ES256 requires."
            }
        }
    }

    /// Reads one PUBLIC KEY block (SubjectPublicKeyInfo).
    package init(pem: String) throws(Failure) {
        guard let blocks = try? PEM.blocks(in: pem), blocks.count == 1, blocks[0].label == "PUBLIC KEY",
            let der = blocks[0].der
        else { throw .unreadable }
        let parsed = OpenSSL.parsed(der) { d2i_PUBKEY(nil, $0, $1) }
        guard let handle = try? KeyHandle(parsed, by: "d2i_PUBKEY") else { throw .unreadable }
        try self.init(handle)
    }

    /// The key that a DER certificate is about. Says nothing about whether to trust the certificate.
    package init(certificateDER der: [UInt8]) throws(Failure) {
        guard let certificate = try? Certificate(der: der) else { throw .unreadable }
        try self.init(certificate: certificate)
    }

    init(certificate: Certificate) throws(Failure) {
        guard let handle = try? certificate.publicKey() else { throw .unreadable }
        try self.init(handle)
    }

    private init(_ handle: KeyHandle) throws(Failure) {
        guard handle.isP256 else { throw .notP256 }
        self.handle = handle
    }

    init(knownP256 handle: KeyHandle) { self.handle = handle }

    /// Accepts the raw form only: 64 bytes, r‖s (RFC 7518 section 3.4). A DER signature is a wrong signature.
    package func verifyES256(message: [UInt8], signature: [UInt8]) -> Bool {
        let der = OpenSSL.must { () throws(OpenSSLError) in try ECDSASignature.der(fromRaw: signature) }
        guard let der else { return false }
        return ECDSASignature.isValid(der: der, over: message, by: handle)
    }

    /// A PUBLIC KEY block.
    package var pem: String {
        PEM.encode("PUBLIC KEY", OpenSSL.must { () throws(OpenSSLError) in try handle.publicDER() })
    }
}
