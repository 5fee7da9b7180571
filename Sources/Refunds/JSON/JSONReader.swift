extension JSON {
    /// Reads exactly one value: RFC 8259 without leniency, UTF-8 without a byte order mark, no key twice.
    package init(reading bytes: [UInt8], depthLimit: Int = 32) throws(JSONError) {
        var reader = JSONReader(bytes, depthLimit: depthLimit)
        self = try reader.readDocument()
    }

    package init(reading text: String) throws(JSONError) {
        try self.init(reading: Array(text.utf8))
    }
}

/// A recursive-descent reader; what it returns, it has understood in full.
struct JSONReader {
    private let bytes: [UInt8]
    private let depthLimit: Int
    private var position = 0

    init(_ bytes: [UInt8], depthLimit: Int) {
        self.bytes = bytes
        self.depthLimit = depthLimit
    }

    mutating func readDocument() throws(JSONError) -> JSON {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            throw JSONError(.byteOrderMark, at: 0, "a byte order mark before the JSON")
        }
        skipSpace()
        let value = try readValue(depth: 0)
        skipSpace()
        guard position == bytes.count else {
            throw JSONError(.trailingCharacters, at: position, "something follows the JSON value")
        }
        return value
    }

    // MARK: Values

    private mutating func readValue(depth: Int) throws(JSONError) -> JSON {
        switch try peek("a value") {
        case UInt8(ascii: "{"): return try .object(readObject(depth: depth))
        case UInt8(ascii: "["): return try .array(readArray(depth: depth))
        case UInt8(ascii: "\""): return try .string(readString())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try .number(readNumber())
        case UInt8(ascii: "t"): return try readWord("true", .bool(true))
        case UInt8(ascii: "f"): return try readWord("false", .bool(false))
        case UInt8(ascii: "n"): return try readWord("null", .null)
        default: throw unexpected("a value")
        }
    }

    private mutating func readObject(depth: Int) throws(JSONError) -> JSONObject {
        try enter(depth)
        var members: [JSONObject.Member] = []
        var seen: Set<String> = []
        skipSpace()
        if skip(UInt8(ascii: "}")) { return JSONObject() }
        // As many as a job has or a request; to grow to there would take four allocations.
        members.reserveCapacity(8)
        while true {
            let start = position
            guard try peek("a key") == UInt8(ascii: "\"") else { throw unexpected("a key in double quotes") }
            let key = try readString()
            if Self.isKnown(key, in: members, &seen) {
                let path = JSONPath.append("", .key(key))
                throw JSONError(.duplicateKey, at: start, "the key \(JSONPath.quoted(key)) comes twice", path: path)
            }
            skipSpace()
            guard try peek("a colon") == UInt8(ascii: ":") else { throw unexpected("a colon") }
            position += 1
            skipSpace()
            do throws(JSONError) {
                members.append(.init(key: key, value: try readValue(depth: depth + 1)))
            } catch {
                throw error.inside(.key(key))
            }
            skipSpace()
            if skip(UInt8(ascii: "}")) { return JSONObject(unique: members) }
            guard try peek("a comma or }") == UInt8(ascii: ",") else { throw unexpected("a comma or }") }
            position += 1
            skipSpace()
        }
    }

    /// Few members are compared one by one, which is faster; many are hashed, so that no input costs quadratic time.
    private static func isKnown(_ key: String, in members: [JSONObject.Member], _ seen: inout Set<String>) -> Bool {
        guard members.count >= 16 else { return members.contains { $0.key == key } }
        if seen.isEmpty { seen = Set(members.map(\.key)) }
        return !seen.insert(key).inserted
    }

    private mutating func readArray(depth: Int) throws(JSONError) -> [JSON] {
        try enter(depth)
        var values: [JSON] = []
        skipSpace()
        if skip(UInt8(ascii: "]")) { return values }
        while true {
            do throws(JSONError) {
                values.append(try readValue(depth: depth + 1))
            } catch {
                throw error.inside(.index(values.count))
            }
            skipSpace()
            if skip(UInt8(ascii: "]")) { return values }
            guard try peek("a comma or ]") == UInt8(ascii: ",") else { throw unexpected("a comma or ]") }
            position += 1
            skipSpace()
        }
    }

    /// Steps over the opening bracket, unless it opens one level too many.
    private mutating func enter(_ depth: Int) throws(JSONError) {
        guard depth < depthLimit else {
            throw JSONError(.tooDeep, at: position, "more than \(depthLimit) levels deep")
        }
        position += 1
    }

    private mutating func readWord(_ word: StaticString, _ value: JSON) throws(JSONError) -> JSON {
        for index in 0..<word.utf8CodeUnitCount {
            let expected = word.withUTF8Buffer { $0[index] }
            guard try peek("\(word)") == expected else { throw unexpected("\(word)") }
            position += 1
        }
        return value
    }

    // MARK: Numbers

    private mutating func readNumber() throws(JSONError) -> JSONNumber {
        let start = position
        _ = skip(UInt8(ascii: "-"))
        let whole = skipDigits()
        guard whole > 0, whole == 1 || bytes[position - whole] != UInt8(ascii: "0") else { throw malformed(start) }
        var isPlain = true
        if skip(UInt8(ascii: ".")) {
            isPlain = false
            guard skipDigits() > 0 else { throw malformed(start) }
        }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            isPlain = false
            _ = skip(UInt8(ascii: "+")) || skip(UInt8(ascii: "-"))
            guard skipDigits() > 0 else { throw malformed(start) }
        }
        let lexeme = String(decoding: bytes[start..<position], as: UTF8.self)
        // A short integer always fits; only the rest pays for the check that RFC 8785 asks for.
        if isPlain, whole <= 18 { return JSONNumber(checked: lexeme) }
        guard let double = Double(lexeme), double.isFinite else {
            throw JSONError(.numberTooLarge, at: start, "a number that no double can hold")
        }
        return JSONNumber(checked: lexeme)
    }

    private mutating func skipDigits() -> Int {
        let start = position
        while position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) {
            position += 1
        }
        return position - start
    }

    private func malformed(_ start: Int) -> JSONError {
        JSONError(.malformedNumber, at: start, "a malformed number")
    }

    // MARK: Strings

    private mutating func readString() throws(JSONError) -> String {
        position += 1
        let start = position
        skipPlain()
        if skip(UInt8(ascii: "\"")) { return String(decoding: bytes[start..<position - 1], as: UTF8.self) }
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                let text = try decode(bytes[start..<position])
                position += 1
                return text
            case UInt8(ascii: "\\"): return try readEscapedString(from: start)
            case 0..<0x20:
                throw JSONError(.controlCharacter, at: position, "an unescaped control character in a string")
            default: position += 1
            }
        }
        throw end("the end of a string")
    }

    /// The rest of a string in which an escape was met; the part before it is taken over.
    private mutating func readEscapedString(from start: Int) throws(JSONError) -> String {
        var plain = start
        var text = ""
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                text += try decode(bytes[plain..<position])
                position += 1
                return text
            case UInt8(ascii: "\\"):
                text += try decode(bytes[plain..<position])
                text.unicodeScalars.append(try readEscape())
                plain = position
            case 0..<0x20:
                throw JSONError(.controlCharacter, at: position, "an unescaped control character in a string")
            default: position += 1
            }
        }
        throw end("the end of a string")
    }

    private mutating func readEscape() throws(JSONError) -> Unicode.Scalar {
        let start = position
        position += 1
        let kind = try peek("an escape")
        position += 1
        switch kind {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(kind)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try readUnicodeEscape(from: start)
        default: throw JSONError(.malformedEscape, at: start, "an unknown escape in a string")
        }
    }

    private mutating func readUnicodeEscape(from start: Int) throws(JSONError) -> Unicode.Scalar {
        let unpaired = JSONError(.unpairedSurrogate, at: start, "half of a surrogate pair without the other half")
        let unit = try readHex(from: start)
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xDC00, skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")) else { throw unpaired }
        let low = try readHex(from: start)
        guard (0xDC00...0xDFFF).contains(low) else { throw unpaired }
        let value = 0x10000 + (UInt32(unit - 0xD800) << 10) + UInt32(low - 0xDC00)
        guard let scalar = Unicode.Scalar(value) else { throw unpaired }
        return scalar
    }

    private mutating func readHex(from start: Int) throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(try peek("four hex digits"))).hexDigitValue else {
                throw JSONError(.malformedEscape, at: start, "\\u without four hex digits")
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }

    /// Steps over ASCII that stands for itself: nearly all text, and it can't be malformed.
    ///
    /// Eight bytes at a time: an answer of Apple's is one string of five thousand bytes. Each subtraction leaves a high
    /// bit where a byte is below what is subtracted; a borrow spoils only bytes behind such a one, and the first counts
    /// (Warren, Hacker's Delight, section 6-1).
    private mutating func skipPlain() {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        position = bytes.withUnsafeBytes { bytes in
            var position = position
            while position + 8 <= bytes.count {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
                let quote = (word ^ ones &* UInt64(UInt8(ascii: "\""))) &- ones
                let backslash = (word ^ ones &* UInt64(UInt8(ascii: "\\"))) &- ones
                let control = word &- ones &* 0x20
                let stops = (quote | backslash | control | word) & highs
                guard stops == 0 else { return position + stops.trailingZeroBitCount / 8 }
                position += 8
            }
            while position < bytes.count, Self.isPlain(bytes[position]) { position += 1 }
            return position
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x80).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private func decode(_ slice: ArraySlice<UInt8>) throws(JSONError) -> String {
        // The validating initializer costs three times as much.
        if slice.allSatisfy({ $0 < 0x80 }) { return String(decoding: slice, as: UTF8.self) }
        if let text = String(validating: slice, as: UTF8.self) { return text }
        throw JSONError(.notUTF8, at: slice.startIndex, "a string that is not UTF-8")
    }

    // MARK: Bytes

    private mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private func peek(_ expected: @autoclosure () -> String) throws(JSONError) -> UInt8 {
        guard position < bytes.count else { throw end(expected()) }
        return bytes[position]
    }

    private func end(_ expected: String) -> JSONError {
        JSONError(.unexpectedEnd, at: position, "the JSON ends where \(expected) should be")
    }

    private func unexpected(_ expected: String) -> JSONError {
        JSONError(.unexpectedCharacter, at: position, "expected \(expected)")
    }
}
