import COpenSSL

/// One-shot digests.
package enum Digest {
    /// 20 bytes. For names derived from content (RFC 9562 version 5) only; it protects nothing.
    package static func sha1(_ bytes: [UInt8]) -> [UInt8] { digest(bytes, .sha1, count: 20) }

    /// 32 bytes.
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] { digest(bytes, .sha256, count: 32) }

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

    private static func digest(_ bytes: [UInt8], _ algorithm: Algorithm, count: Int) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: count)
        OpenSSL.must { () throws(OpenSSLError) in
            try OpenSSL.check(EVP_Digest(bytes, bytes.count, &result, nil, algorithm.pointer, nil), "EVP_Digest")
        }
        return result
    }
}

/// A digest's algorithm, fetched once: `EVP_sha256()` is only its name, and OpenSSL 3 looks it up at each use, which
/// takes longer than the digest of a job.
// @unchecked: OpenSSL lets any number of threads use an algorithm that it has given out (EVP_MD_fetch(3)); it is never
// freed.
private struct Algorithm: @unchecked Sendable {
    static let sha1 = Algorithm("SHA1")
    static let sha256 = Algorithm("SHA2-256")

    let pointer: OpaquePointer?

    private init(_ name: String) {
        pointer = OpenSSL.must { () throws(OpenSSLError) in
            try OpenSSL.found(EVP_MD_fetch(nil, name, nil), "EVP_MD_fetch")
        }
    }
}

extension [UInt8] {
    /// Two lower-case digits a byte.
    package var hex: String {
        String(unsafeUninitializedCapacity: 2 * count) { text in
            for (index, byte) in enumerated() {
                text[2 * index] = Self.digit(byte >> 4)
                text[2 * index + 1] = Self.digit(byte & 15)
            }
            return 2 * count
        }
    }

    /// What `hex` writes, in either case of letters; nil for anything else.
    package init?(hex: String) {
        guard hex.utf8.count.isMultiple(of: 2) else { return nil }
        self = []
        reserveCapacity(hex.utf8.count / 2)
        var high: UInt8?
        for byte in hex.utf8 {
            guard let value = Self.value(ofDigit: byte) else { return nil }
            if let first = high { append(first << 4 | value) }
            high = high == nil ? value : nil
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

    private static func value(ofDigit byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}
