import COpenSSL

/// Owns one of OpenSSL's keys, private or public, which is never changed once it is here.
// @unchecked: an EVP_PKEY that nobody changes may be used by many threads at once; OpenSSL locks its own caches.
final class KeyHandle: @unchecked Sendable {
    private let raw: OpaquePointer

    /// Takes over what a C function made.
    init(_ made: OpaquePointer?, by function: StaticString) throws(OpenSSLError) {
        raw = try OpenSSL.found(made, function)
    }

    deinit { EVP_PKEY_free(raw) }

    func use<Result, Failure>(_ body: (OpaquePointer) throws(Failure) -> Result) throws(Failure) -> Result {
        // The object, not just the pointer, has to outlive the call.
        defer { withExtendedLifetime(self) {} }
        return try body(raw)
    }

    static func generate(_ curve: Curve) throws(OpenSSLError) -> KeyHandle {
        let context = try Owned(EVP_PKEY_CTX_new_from_name(nil, "EC", nil), by: "EVP_PKEY_CTX_new_from_name") {
            EVP_PKEY_CTX_free($0)
        }
        return try context.use { context throws(OpenSSLError) in
            try OpenSSL.check(EVP_PKEY_keygen_init(context), "EVP_PKEY_keygen_init")
            try OpenSSL.check(EVP_PKEY_CTX_set_group_name(context, curve.rawValue), "EVP_PKEY_CTX_set_group_name")
            var key: OpaquePointer?
            try OpenSSL.check(EVP_PKEY_generate(context, &key), "EVP_PKEY_generate")
            return try KeyHandle(key, by: "EVP_PKEY_generate")
        }
    }

    /// "EC", "RSA", "ED25519" and so on, as OpenSSL calls them.
    var algorithm: String {
        use { key in EVP_PKEY_get0_type_name(key).map { String(cString: $0) } ?? "unknown" }
    }

    /// The curve's name as OpenSSL has it; nil for keys that are on no named curve.
    var curveName: String? {
        use { key in
            var name = [CChar](repeating: 0, count: 80)
            var count = 0
            guard EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1 else {
                ERR_clear_error()
                return nil
            }
            return String(decoding: name.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    var isP256: Bool { algorithm == "EC" && curveName == Curve.p256.rawValue }

    /// SubjectPublicKeyInfo (RFC 5280 section 4.1).
    func publicDER() throws(OpenSSLError) -> [UInt8] {
        try use { key throws(OpenSSLError) in
            try OpenSSL.der("i2d_PUBKEY") { i2d_PUBKEY(key, $0) }
        }
    }
}

/// Elliptic curves by OpenSSL's names.
package enum Curve: String, Sendable, Hashable {
    case p256 = "prime256v1"
    case p384 = "secp384r1"
}
