extension JSON {
    /// RFC 8785: no white space, keys in the order of their UTF-16 code units, numbers as ECMAScript prints them.
    package var canonical: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        writeCanonical(to: &bytes)
        return bytes
    }

    package var canonicalText: String { String(decoding: canonical, as: UTF8.self) }

    /// One line without white space, members in their own order, numbers with their own digits.
    package var text: String { String(decoding: asIs, as: UTF8.self) }

    /// The bytes of `text`.
    package var asIs: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        writeAsIs(to: &bytes)
        return bytes
    }

    func writeCanonical(to bytes: inout [UInt8]) {
        switch self {
        case .number(let number): bytes.append(contentsOf: number.canonical.utf8)
        case .array(let values):
            write(values, to: &bytes) { $0.writeCanonical(to: &$1) }
        case .object(let object):
            let sorted = object.members.sorted { JSONObject.precedes($0.key, $1.key) }
            write(sorted, to: &bytes) { $0.writeCanonical(to: &$1) }
        case .null, .bool, .string: writeScalar(to: &bytes)
        }
    }

    private func writeAsIs(to bytes: inout [UInt8]) {
        switch self {
        case .number(let number): bytes.append(contentsOf: number.lexeme.utf8)
        case .array(let values): write(values, to: &bytes) { $0.writeAsIs(to: &$1) }
        case .object(let object): write(object.members, to: &bytes) { $0.writeAsIs(to: &$1) }
        case .null, .bool, .string: writeScalar(to: &bytes)
        }
    }

    private func writeScalar(to bytes: inout [UInt8]) {
        switch self {
        case .bool(let bool): bytes.append(contentsOf: (bool ? "true" : "false").utf8)
        case .string(let string): Self.write(string, to: &bytes)
        default: bytes.append(contentsOf: "null".utf8)
        }
    }

    private func write(_ values: [JSON], to bytes: inout [UInt8], _ each: (JSON, inout [UInt8]) -> Void) {
        bytes.append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            each(value, &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private func write(_ members: [JSONObject.Member], to bytes: inout [UInt8], _ each: (JSON, inout [UInt8]) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            Self.write(member.key, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            each(member.value, &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    /// A quoted string with the escapes of RFC 8785, section 3.2.2.2, and no others.
    static func write(_ string: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var string = string
        string.withUTF8 { text in
            // Nearly every text is written as it is.
            guard !text.allSatisfy(isPlain) else { return bytes.append(contentsOf: text) }
            for byte in text {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                    bytes.append(UInt8(ascii: "\\"))
                    bytes.append(byte)
                case 0..<0x20: writeEscape(of: byte, to: &bytes)
                default: bytes.append(byte)
                }
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private static func writeEscape(of control: UInt8, to bytes: inout [UInt8]) {
        switch control {
        case 0x08: bytes.append(contentsOf: #"\b"#.utf8)
        case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
        case 0x0A: bytes.append(contentsOf: #"\n"#.utf8)
        case 0x0C: bytes.append(contentsOf: #"\f"#.utf8)
        case 0x0D: bytes.append(contentsOf: #"\r"#.utf8)
        default:
            bytes.append(contentsOf: control < 0x10 ? #"\u000"#.utf8 : #"\u00"#.utf8)
            bytes.append(contentsOf: String(control, radix: 16).utf8)
        }
    }
}

extension JSONObject {
    /// The order of UTF-16 code units, without leaving UTF-8: the two differ only where a character beyond U+FFFF
    /// (lead byte F0 and up, a surrogate in UTF-16) meets one of U+E000 to U+FFFF (lead byte EE or EF).
    static func precedes(_ left: String, _ right: String) -> Bool {
        var rights = right.utf8.makeIterator()
        for a in left.utf8 {
            guard let b = rights.next() else { return false }
            if a == b { continue }
            if a >= 0xEE, b >= 0xEE, (a >= 0xF0) != (b >= 0xF0) { return a >= 0xF0 }
            return a < b
        }
        return rights.next() != nil
    }
}
