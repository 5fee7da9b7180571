extension JSONValue {
    /// Reads one JSON text (RFC 8259), UTF-8, nested at most 64 deep. Nil for anything else: what exactly is wrong with
    /// a body Apple doesn't say either.
    package init?(reading bytes: [UInt8]) {
        var reader = Reader(bytes: bytes)
        guard let value = reader.text() else { return nil }
        self = value
    }

    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        mutating func text() -> JSONValue? {
            guard let value = value(depth: 0) else { return nil }
            skipSpace()
            return position == bytes.count ? value : nil
        }

        private mutating func value(depth: Int) -> JSONValue? {
            skipSpace()
            guard depth <= 64, position < bytes.count else { return nil }
            switch bytes[position] {
            case UInt8(ascii: "{"): return object(depth: depth)
            case UInt8(ascii: "["): return array(depth: depth)
            case UInt8(ascii: "\""): return string().map { .string($0) }
            case UInt8(ascii: "t"): return word("true", .bool(true))
            case UInt8(ascii: "f"): return word("false", .bool(false))
            case UInt8(ascii: "n"): return word("null", .null)
            default: return number()
            }
        }

        private mutating func object(depth: Int) -> JSONValue? {
            position += 1
            var members: [Member] = []
            if take("}") { return .object([]) }
            repeat {
                skipSpace()
                guard let name = string(), take(":"), let value = value(depth: depth + 1) else { return nil }
                members.append(Member(name: name, value: value))
            } while take(",")
            return take("}") ? .object(members) : nil
        }

        private mutating func array(depth: Int) -> JSONValue? {
            position += 1
            var values: [JSONValue] = []
            if take("]") { return .array([]) }
            repeat {
                guard let value = value(depth: depth + 1) else { return nil }
                values.append(value)
            } while take(",")
            return take("]") ? .array(values) : nil
        }

        private mutating func string() -> String? {
            guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return nil }
            position += 1
            var content: [UInt8] = []
            while position < bytes.count {
                let byte = bytes[position]
                position += 1
                switch byte {
                case UInt8(ascii: "\""): return String(validating: content, as: UTF8.self)
                case UInt8(ascii: "\\"): guard escape(into: &content) else { return nil }
                case 0x00..<0x20: return nil
                default: content.append(byte)
                }
            }
            return nil
        }

        private mutating func escape(into content: inout [UInt8]) -> Bool {
            guard position < bytes.count else { return false }
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(byte)
            case UInt8(ascii: "b"): content.append(0x08)
            case UInt8(ascii: "f"): content.append(0x0C)
            case UInt8(ascii: "n"): content.append(0x0A)
            case UInt8(ascii: "r"): content.append(0x0D)
            case UInt8(ascii: "t"): content.append(0x09)
            case UInt8(ascii: "u"):
                guard let scalar = unicodeEscape() else { return false }
                content += String(Character(scalar)).utf8
            default: return false
            }
            return true
        }

        private mutating func unicodeEscape() -> Unicode.Scalar? {
            guard let first = hexQuad() else { return nil }
            guard (0xD800..<0xDC00).contains(first) else { return Unicode.Scalar(first) }
            guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
                bytes[position + 1] == UInt8(ascii: "u")
            else { return nil }
            position += 2
            guard let second = hexQuad(), (0xDC00..<0xE000).contains(second) else { return nil }
            return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        }

        private mutating func hexQuad() -> UInt32? {
            guard position + 4 <= bytes.count else { return nil }
            defer { position += 4 }
            let digits = bytes[position..<position + 4]
            guard digits.allSatisfy({ $0 >= UInt8(ascii: "0") }) else { return nil }  // a sign would be taken
            return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        }

        private mutating func number() -> JSONValue? {
            let start = position
            _ = skip("-")
            if !skip("0") { guard digits() else { return nil } }
            if skip(".") { guard digits() else { return nil } }
            if skip("e") || skip("E") {
                if !skip("+") { _ = skip("-") }
                guard digits() else { return nil }
            }
            return .number(String(decoding: bytes[start..<position], as: UTF8.self))
        }

        private mutating func digits() -> Bool {
            let start = position
            while position < bytes.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[position] { position += 1 }
            return position > start
        }

        private mutating func word(_ word: StaticString, _ value: JSONValue) -> JSONValue? {
            let expected = Array("\(word)".utf8)
            guard bytes.dropFirst(position).starts(with: expected) else { return nil }
            position += expected.count
            return value
        }

        /// Skips space, then the byte if it is there.
        private mutating func take(_ character: Unicode.Scalar) -> Bool {
            skipSpace()
            return skip(character)
        }

        private mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
            position += 1
            return true
        }

        private mutating func skipSpace() {
            while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
        }
    }
}
