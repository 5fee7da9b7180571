import COpenSSL

/// One-shot digests.
package enum Digest {
    /// 20 bytes. For names derived from content (RFC 9562 version 5) only; it protects nothing.
    package static func sha1(_ bytes: [UInt8]) -> [UInt8] { digest(bytes, EVP_sha1(), count: 20) }

    /// 32 bytes.
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] { digest(bytes, EVP_sha256(), count: 32) }

    /// 32 bytes (RFC 2104). An empty key is allowed, as the RFC has it.
    package static func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: 32)
        var count = 0
        // OpenSSL takes a missing pointer for a missing key; a padded zero byte means the same key as an empty one.
        let key = key.isEmpty ? [0] : key
        OpenSSL.must { () throws(OpenSSLError) in
            let written = EVP_Q_mac(
                nil, "HMAC", nil, "SHA256", nil, key, key.count, message, message.count, &result, result.count, &count)
            _ = try OpenSSL.found(written, "EVP_Q_mac")
        }
        return result
    }

    private static func digest(_ bytes: [UInt8], _ algorithm: OpaquePointer?, count: Int) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: count)
        OpenSSL.must { () throws(OpenSSLError) in
            try OpenSSL.check(EVP_Digest(bytes, bytes.count, &result, nil, algorithm, nil), "EVP_Digest")
        }
        return result
    }
}

extension [UInt8] {
    /// Two lower-case digits a byte.
    package var hex: String {
        let digits = Array<UInt8>("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
