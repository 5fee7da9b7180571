import COpenSSL

/// Signing and checking with OpenSSL's DER form, and the way between it and the raw form of JWS.
enum ECDSASignature {
    /// Bytes of r, and of s, on P-256.
    private static let half = 32

    /// Signs over SHA-256 of the message.
    static func der(over message: [UInt8], by key: KeyHandle) throws(OpenSSLError) -> [UInt8] {
        try withDigestContext { context throws(OpenSSLError) in
            try key.use { key throws(OpenSSLError) in
                try OpenSSL.check(EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key), "EVP_DigestSignInit")
                var count = 0
                try OpenSSL.check(EVP_DigestSign(context, nil, &count, message, message.count), "EVP_DigestSign")
                var signature = [UInt8](repeating: 0, count: count)
                try OpenSSL.check(EVP_DigestSign(context, &signature, &count, message, message.count), "EVP_DigestSign")
                return Array(signature.prefix(count))
            }
        }
    }

    static func isValid(der signature: [UInt8], over message: [UInt8], by key: KeyHandle) -> Bool {
        do {
            try withDigestContext { context throws(OpenSSLError) in
                try key.use { key throws(OpenSSLError) in
                    try OpenSSL.check(
                        EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key), "EVP_DigestVerifyInit")
                    try OpenSSL.check(
                        EVP_DigestVerify(context, signature, signature.count, message, message.count),
                        "EVP_DigestVerify")
                }
            }
            return true
        } catch {
            return false
        }
    }

    static func raw(fromDER der: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        let parsed = OpenSSL.parsed(der) { d2i_ECDSA_SIG(nil, $0, $1) }
        let signature = try Owned(parsed, by: "d2i_ECDSA_SIG") { ECDSA_SIG_free($0) }
        return try signature.use { signature throws(OpenSSLError) in
            var raw: [UInt8] = []
            for number in [ECDSA_SIG_get0_r(signature), ECDSA_SIG_get0_s(signature)] {
                var bytes = [UInt8](repeating: 0, count: half)
                guard BN_bn2binpad(number, &bytes, Int32(half)) == half else {
                    throw OpenSSLError(from: "BN_bn2binpad")
                }
                raw += bytes
            }
            return raw
        }
    }

    /// Nil unless the raw form has exactly 64 bytes.
    static func der(fromRaw raw: [UInt8]) throws(OpenSSLError) -> [UInt8]? {
        guard raw.count == 2 * half else { return nil }
        let signature = try Owned(ECDSA_SIG_new(), by: "ECDSA_SIG_new") { ECDSA_SIG_free($0) }
        return try signature.use { signature throws(OpenSSLError) in
            let r = try OpenSSL.found(BN_bin2bn(raw, Int32(half), nil), "BN_bin2bn")
            guard let s = BN_bin2bn(Array(raw[half...]), Int32(half), nil) else {
                BN_free(r)
                throw OpenSSLError(from: "BN_bin2bn")
            }
            // From here on the signature owns both numbers.
            try OpenSSL.check(ECDSA_SIG_set0(signature, r, s), "ECDSA_SIG_set0")
            return try OpenSSL.der("i2d_ECDSA_SIG") { i2d_ECDSA_SIG(signature, $0) }
        }
    }

    private static func withDigestContext<Result>(
        _ body: (OpaquePointer) throws(OpenSSLError) -> Result
    ) throws(OpenSSLError) -> Result {
        try Owned(EVP_MD_CTX_new(), by: "EVP_MD_CTX_new") { EVP_MD_CTX_free($0) }.use(body)
    }
}
