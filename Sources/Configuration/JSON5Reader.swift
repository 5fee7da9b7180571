/// Reads JSON5 as its grammar says, and one thing more strictly: a key that stands twice in an object is refused.
///
/// Foundation reads JSON5 too, but keeps one of two equal keys without a word, and knows no line: a second
/// `audiobooks` block would silently replace the first.
struct JSON5Reader {
    private let scalars: [Unicode.Scalar]
    private var index = 0
    private var line = 1
    private var lineStart = 0
    private var depth = 0

    private init(_ text: String) { scalars = Array(text.unicodeScalars) }

    static func read(_ text: String) throws(JSON5Error) -> JSON5 {
        var reader = JSON5Reader(text)
        try reader.skipBlanks()
        let value = try reader.value()
        try reader.skipBlanks()
        guard reader.peek == nil else { throw reader.unexpected("the end of the file") }
        return value
    }

    // MARK: Values

    private mutating func value() throws(JSON5Error) -> JSON5 {
        let start = line
        return JSON5(value: try bareValue(), line: start)
    }

    private mutating func bareValue() throws(JSON5Error) -> JSON5.Value {
        switch peek {
        case "{": return .object(try nested { (reader) throws(JSON5Error) in try reader.members() })
        case "[": return .array(try nested { (reader) throws(JSON5Error) in try reader.elements() })
        case "\"", "'": return .string(try string())
        case let first? where "+-.0123456789".unicodeScalars.contains(first): return .number(try number())
        case let first? where Self.startsName(first): return try word()
        default: throw unexpected("a value")
        }
    }

    /// A file that nests more deeply than any configuration would overflow the stack.
    private mutating func nested<Part>(
        _ read: (inout Self) throws(JSON5Error) -> Part
    ) throws(JSON5Error) -> Part {
        depth += 1
        defer { depth -= 1 }
        guard depth <= 32 else { throw error("more than 32 levels deep") }
        return try read(&self)
    }

    private mutating func word() throws(JSON5Error) -> JSON5.Value {
        let name = try name()
        switch name {
        case "null": return .null
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "Infinity": return .number(.infinity)
        case "NaN": return .number(.nan)
        default: throw error("“\(name)” is no value; a text stands between quotation marks")
        }
    }

    private mutating func members() throws(JSON5Error) -> [JSON5.Member] {
        var members: [JSON5.Member] = []
        var lines: [String: Int] = [:]
        advance()
        try skipBlanks()
        while peek != "}" {
            let keyLine = line
            let key = peek == "\"" || peek == "'" ? try string() : try name()
            if let first = lines.updateValue(keyLine, forKey: key) {
                throw JSON5Error(
                    line: keyLine, column: index - lineStart + 1,
                    message: "the key “\(key)” stands here a second time; the first is in line \(first)")
            }
            try skipBlanks()
            guard peek == ":" else { throw unexpected("a colon after the key “\(key)”") }
            advance()
            try skipBlanks()
            members.append(JSON5.Member(key: key, value: try value()))
            try separator(before: "}")
        }
        advance()
        return members
    }

    private mutating func elements() throws(JSON5Error) -> [JSON5] {
        var elements: [JSON5] = []
        advance()
        try skipBlanks()
        while peek != "]" {
            elements.append(try value())
            try separator(before: "]")
        }
        advance()
        return elements
    }

    private mutating func separator(before end: Unicode.Scalar) throws(JSON5Error) {
        try skipBlanks()
        if peek == "," {
            advance()
            try skipBlanks()
        } else if peek != end {
            throw unexpected("a comma or “\(end)”")
        }
    }

    // MARK: Words

    private mutating func name() throws(JSON5Error) -> String {
        guard let first = peek, Self.startsName(first) else { throw unexpected("a key") }
        var name = String.UnicodeScalarView()
        while let scalar = peek, Self.startsName(scalar) || Self.continuesName(scalar) {
            name.append(scalar)
            advance()
        }
        return String(name)
    }

    private static func startsName(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "$" || scalar == "_" || scalar.properties.isIDStart
    }

    private static func continuesName(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isIDContinue || scalar == "\u{200C}" || scalar == "\u{200D}"
    }

    private mutating func number() throws(JSON5Error) -> Double {
        var sign = 1.0
        if peek == "+" || peek == "-" {
            if peek == "-" { sign = -1 }
            advance()
        }
        var text = ""
        while let scalar = peek, scalar.isASCII,
            scalar.properties.isAlphabetic || "0123456789.".unicodeScalars.contains(scalar)
                || "+-".unicodeScalars.contains(scalar) && (text.hasSuffix("e") || text.hasSuffix("E"))
                    && !text.hasPrefix("0x")
        {
            text.unicodeScalars.append(scalar)
            advance()
        }
        guard let magnitude = Self.magnitude(text) else { throw error("“\(text)” is no number") }
        return sign * magnitude
    }

    private static func magnitude(_ text: String) -> Double? {
        if text == "Infinity" { return .infinity }
        if text == "NaN" { return .nan }
        if text.hasPrefix("0x") || text.hasPrefix("0X") {
            return UInt64(text.dropFirst(2), radix: 16).map { Double($0) }
        }
        guard text.unicodeScalars.allSatisfy({ "0123456789.eE+-".unicodeScalars.contains($0) }) else { return nil }
        // Neither octal nor a typing mistake is worth a guess.
        let digits = text.prefix { $0.isNumber }
        guard digits.count < 2 || digits.first != "0" else { return nil }
        // JSON5 allows a point without digits on one side; Swift wants both.
        let mantissa = text.prefix { $0 != "e" && $0 != "E" }
        guard mantissa.contains(where: \.isNumber) else { return nil }
        var whole = String(mantissa)
        if whole.hasPrefix(".") { whole = "0" + whole }
        if whole.hasSuffix(".") { whole += "0" }
        return Double(whole + text.dropFirst(mantissa.count))
    }

    private mutating func string() throws(JSON5Error) -> String {
        let quote = peek
        let start = line
        advance()
        var text = String.UnicodeScalarView()
        while let scalar = peek, scalar != quote {
            if scalar == "\\" {
                advance()
                if let escaped = try escape() { text.append(escaped) }
            } else {
                guard scalar != "\n", scalar != "\r" else { throw error("the text ends before its quotation mark") }
                text.append(scalar)
                advance()
            }
        }
        guard peek == quote else { throw error("the text that begins in line \(start) has no end") }
        advance()
        return String(text)
    }

    /// The character behind a backslash; nil for a line that goes on.
    private mutating func escape() throws(JSON5Error) -> Unicode.Scalar? {
        guard let scalar = peek else { throw error("the text has no end") }
        advance()
        switch scalar {
        case "b": return "\u{8}"
        case "f": return "\u{C}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "v": return "\u{B}"
        case "0" where !(peek.map { ("0"..."9").contains($0) } ?? false): return "\0"
        case "x": return Unicode.Scalar(UInt8(try hexadecimal(digits: 2)))
        case "u": return try unicodeEscape()
        case "\r":
            if peek == "\n" { advance() }
            return nil
        case "\n", "\u{2028}", "\u{2029}": return nil
        case "0"..."9": throw error("\\\(scalar) is no escape")
        default: return scalar
        }
    }

    private mutating func unicodeEscape() throws(JSON5Error) -> Unicode.Scalar {
        let first = try hexadecimal(digits: 4)
        if let scalar = Unicode.Scalar(first) { return scalar }
        // Beyond the first plane a character is written as two escapes.
        guard (0xD800...0xDBFF).contains(first), peek == "\\" else { throw error("half a character") }
        advance()
        guard peek == "u" else { throw error("half a character") }
        advance()
        let second = try hexadecimal(digits: 4)
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
        else { throw error("half a character") }
        return scalar
    }

    private mutating func hexadecimal(digits: Int) throws(JSON5Error) -> UInt32 {
        var number: UInt32 = 0
        for _ in 0..<digits {
            guard let scalar = peek, scalar.isASCII, let digit = Character(scalar).hexDigitValue else {
                throw error("\(digits) hexadecimal digits are expected")
            }
            number = number << 4 | UInt32(digit)
            advance()
        }
        return number
    }

    // MARK: Between

    private mutating func skipBlanks() throws(JSON5Error) {
        while let scalar = peek {
            if scalar == "/" {
                try skipComment()
            } else if scalar.properties.isWhitespace || scalar == "\u{FEFF}" {
                advance()
            } else {
                return
            }
        }
    }

    private mutating func skipComment() throws(JSON5Error) {
        let start = line
        advance()
        switch peek {
        case "/": while let scalar = peek, scalar != "\n", scalar != "\r" { advance() }
        case "*":
            advance()
            while let scalar = peek {
                advance()
                if scalar == "*", peek == "/" { return advance() }
            }
            throw error("the comment that begins in line \(start) has no end")
        default: throw unexpected("a comment")
        }
    }

    private var peek: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    private mutating func advance() {
        if scalars[index] == "\n"
            || scalars[index] == "\r" && !(index + 1 < scalars.count && scalars[index + 1] == "\n")
        {
            line += 1
            lineStart = index + 1
        }
        index += 1
    }

    private func error(_ message: String) -> JSON5Error {
        JSON5Error(line: line, column: index - lineStart + 1, message: message)
    }

    private func unexpected(_ wanted: String) -> JSON5Error {
        error(peek.map { "\(wanted) is expected, not “\($0)”" } ?? "\(wanted) is expected, but the file ends here")
    }
}
