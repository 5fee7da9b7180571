/// Base64 with padding (RFC 4648 section 4), as in PEM and in `x5c`.
package enum Base64 {
    private static let codec = Base64Codec(last: ("+", "/"), isPadded: true)

    package static func encode(_ bytes: [UInt8]) -> String { codec.encode(bytes) }

    /// Nil unless the text is exactly what `encode` would have written: no line breaks, no missing padding.
    package static func decode(_ text: String) -> [UInt8]? { codec.decode(text.utf8) }
}

/// Base64 without padding in the URL-safe alphabet (RFC 4648 section 5), as in JWS.
package enum Base64URL {
    private static let codec = Base64Codec(last: ("-", "_"), isPadded: false)

    package static func encode(_ bytes: [UInt8]) -> String { codec.encode(bytes) }

    /// Nil unless the text is exactly what `encode` would have written: no padding, no stray bits (RFC 7515 section 2).
    package static func decode(_ text: String) -> [UInt8]? { codec.decode(text.utf8) }
}

/// Strict both ways: for each run of bytes there is one text, so a text can't be varied without being noticed.
private struct Base64Codec: Sendable {
    private static let padding = UInt8(ascii: "=")

    private let alphabet: [UInt8]
    /// The value of each letter; 255 marks what is no letter.
    private let values: [UInt8]
    private let isPadded: Bool

    init(last: (Unicode.Scalar, Unicode.Scalar), isPadded: Bool) {
        let first = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8
        alphabet = Array(first) + [UInt8(ascii: last.0), UInt8(ascii: last.1)]
        var values = [UInt8](repeating: 255, count: 256)
        for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
        self.values = values
        self.isPadded = isPadded
    }

    func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var pending = 0
        var bits = 0
        for byte in bytes {
            pending = (pending << 8 | Int(byte)) & 0xFFFF
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[pending >> bits & 63])
            }
        }
        if bits > 0 { text.append(alphabet[pending << (6 - bits) & 63]) }
        while isPadded, text.count % 4 != 0 { text.append(Self.padding) }
        return String(decoding: text, as: UTF8.self)
    }

    func decode(_ text: some BidirectionalCollection<UInt8>) -> [UInt8]? {
        let text = Array(text)
        var letters = text[...]
        if isPadded {
            guard text.count % 4 == 0 else { return nil }
            for _ in 0..<2 where letters.last == Self.padding { letters.removeLast() }
        }
        guard letters.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(letters.count * 3 / 4)
        var pending = 0
        var bits = 0
        for letter in letters {
            let value = values[Int(letter)]
            guard value != 255 else { return nil }
            pending = (pending << 6 | Int(value)) & 0xFFFF
            bits += 6
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(pending >> bits & 255))
        }
        guard pending & ((1 << bits) - 1) == 0 else { return nil }
        return bytes
    }
}
