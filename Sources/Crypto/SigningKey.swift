import COpenSSL

/// A private P-256 key that signs as ES256. Valid by construction; prints nothing of itself.
package struct SigningKey: Sendable, CustomStringConvertible, CustomReflectable {
    let handle: KeyHandle

    /// Reads a `.p8` file as App Store Connect gives it out: PEM, PKCS#8 (RFC 5958), not encrypted, P-256.
    ///
    /// Takes bytes, because what is put in a key's place may be no text at all, and then the error has to say so.
    package init(p8 bytes: [UInt8]) throws(SigningKeyError) {
        guard !bytes.allSatisfy({ $0 == 0x20 || (9...13).contains($0) }) else { throw .empty }
        // A DER sequence: its tag, then a length in a form that no text has.
        if bytes.count > 2, bytes[0] == 0x30, bytes[1] >= 0x80 || Int(bytes[1]) + 2 == bytes.count { throw .der }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notPEM }
        try self.init(pem: text)
    }

    /// The same from text.
    package init(pem text: String) throws(SigningKeyError) {
        var der = try Self.pkcs8(in: text)
        defer { OPENSSL_cleanse(&der, der.count) }
        handle = try Self.read(der)
        guard handle.isP256 else { throw Self.wrongKind(of: handle) }
        guard Self.isConsistent(handle) else { throw .inconsistent }
    }

    private init(_ handle: KeyHandle) { self.handle = handle }

    /// Makes a new key.
    package static func generate() -> SigningKey {
        SigningKey(OpenSSL.must { () throws(OpenSSLError) in try KeyHandle.generate(.p256) })
    }

    /// ECDSA over SHA-256 as r‖s, 32 big-endian bytes each (RFC 7518 section 3.4).
    package func signES256(_ message: [UInt8]) -> [UInt8] {
        OpenSSL.must { () throws(OpenSSLError) in
            try ECDSASignature.raw(fromDER: try ECDSASignature.der(over: message, by: handle))
        }
    }

    package var publicKey: VerifyingKey { VerifyingKey(knownP256: handle) }

    /// The key itself, in the form that `init(pem:)` reads. A secret: for files that tests and the simulator write.
    package var pemPKCS8: String {
        OpenSSL.must { () throws(OpenSSLError) in
            try handle.use { key throws(OpenSSLError) in
                let info = try Owned(EVP_PKEY2PKCS8(key), by: "EVP_PKEY2PKCS8") { PKCS8_PRIV_KEY_INFO_free($0) }
                let der = try info.use { info throws(OpenSSLError) in
                    try OpenSSL.der("i2d_PKCS8_PRIV_KEY_INFO") { i2d_PKCS8_PRIV_KEY_INFO(info, $0) }
                }
                return PEM.encode("PRIVATE KEY", der)
            }
        }
    }

    package var description: String { "<private key>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension SigningKey {
    /// The content of the one PRIVATE KEY block in the text.
    private static func pkcs8(in text: String) throws(SigningKeyError) -> [UInt8] {
        guard text.contains(where: { !$0.isWhitespace }) else { throw .empty }
        let blocks: [PEM.Block]
        do {
            blocks = try PEM.blocks(in: text)
        } catch {
            switch error {
            case .noBlock: throw withoutBlock(text)
            case .noEnd(let label):
                if let kind = kind(of: label) { throw kind }
                throw .truncated
            }
        }
        // `openssl ecparam -genkey` writes the curve as a block of its own before the key.
        guard let block = blocks.first(where: { $0.label != "EC PARAMETERS" }) else { throw .unknownLabel }
        guard !block.hasHeaders else { throw .encrypted }
        if let kind = kind(of: block.label) { throw kind }
        guard blocks.count == 1 else { throw .severalBlocks }
        guard let der = block.der, isWhole(der) else { throw .truncated }
        return der
    }

    /// What a PEM label says about its content; nil for the one that is wanted.
    private static func kind(of label: String) -> SigningKeyError? {
        switch label {
        case "PRIVATE KEY": nil
        case "EC PRIVATE KEY", "EC PARAMETERS": .sec1
        case "RSA PRIVATE KEY": .rsa
        case "ENCRYPTED PRIVATE KEY": .encrypted
        case "OPENSSH PRIVATE KEY": .openSSH
        case "PUBLIC KEY", "RSA PUBLIC KEY", "SSH2 PUBLIC KEY": .publicKey
        case "CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE", "PKCS7": .certificate
        case "CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST": .certificateRequest
        case "DSA PRIVATE KEY": .wrongAlgorithm("DSA")
        default: .unknownLabel
        }
    }

    /// What a text without a single BEGIN line is.
    private static func withoutBlock(_ text: String) -> SigningKeyError {
        if text.contains("-----BEGIN ") { return text.contains("\\n") ? .escapedLineBreaks : .truncated }
        if text.hasPrefix("ssh-") || text.hasPrefix("ecdsa-sha2-") { return .publicKey }
        let letters = text.filter { !$0.isWhitespace }
        if let der = Base64.decode(letters), der.first == 0x30, isWhole(der) { return .bareBase64 }
        return .notPEM
    }

    /// Whether a DER value ends where its length says (X.690 section 8.1.3).
    private static func isWhole(_ der: [UInt8]) -> Bool {
        guard der.count >= 2 else { return false }
        guard der[1] >= 0x80 else { return der.count == 2 + Int(der[1]) }
        let width = Int(der[1] & 0x7F)
        guard (1...3).contains(width), der.count >= 2 + width else { return false }
        return der.count == 2 + width + der[2..<2 + width].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func read(_ der: [UInt8]) throws(SigningKeyError) -> KeyHandle {
        do {
            let parsed = OpenSSL.parsed(der) { d2i_PKCS8_PRIV_KEY_INFO(nil, $0, $1) }
            let info = try Owned(parsed, by: "d2i_PKCS8_PRIV_KEY_INFO") { PKCS8_PRIV_KEY_INFO_free($0) }
            return try info.use { info throws(OpenSSLError) in
                try KeyHandle(EVP_PKCS82PKEY(info), by: "EVP_PKCS82PKEY")
            }
        } catch {
            throw .unreadable
        }
    }

    private static func wrongKind(of handle: KeyHandle) -> SigningKeyError {
        switch handle.algorithm {
        case "RSA", "RSA-PSS": .rsa
        case "EC":
            switch handle.curveName {
            case Curve.p384.rawValue: .wrongCurve("P-384")
            case "secp521r1": .wrongCurve("P-521")
            case let name: .wrongCurve(name ?? "without a name")
            }
        case let name: .wrongAlgorithm(name)
        }
    }

    private static func isConsistent(_ handle: KeyHandle) -> Bool {
        do {
            try handle.use { key throws(OpenSSLError) in
                let context = try Owned(EVP_PKEY_CTX_new_from_pkey(nil, key, nil), by: "EVP_PKEY_CTX_new_from_pkey") {
                    EVP_PKEY_CTX_free($0)
                }
                try context.use { context throws(OpenSSLError) in
                    try OpenSSL.check(EVP_PKEY_check(context), "EVP_PKEY_check")
                }
            }
            return true
        } catch {
            return false
        }
    }
}
