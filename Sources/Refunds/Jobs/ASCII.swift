/// The alphabets of the names that we let in.
enum ASCII {
    static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    static func isUpper(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
    static func isAlphanumeric(_ byte: UInt8) -> Bool { isDigit(byte) || isUpper(byte & 0xDF) && byte >= 0x41 }
    static func isWordOrDash(_ byte: UInt8) -> Bool { isAlphanumeric(byte) || byte == 0x5F || byte == 0x2D }
    static func isWordOrDotOrDash(_ byte: UInt8) -> Bool { isWordOrDash(byte) || byte == 0x2E }
    static func isHex(_ byte: UInt8) -> Bool { isDigit(byte) || (0x61...0x66).contains(byte | 0x20) }

    /// C0, DEL and C1: Unicode's category Cc, without looking it up.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }

    /// Three capital letters, as ISO 3166 and ISO 4217 write a country and a currency.
    static func isThreeCapitals(_ text: String) -> Bool {
        text.utf8.count == 3 && text.utf8.allSatisfy(isUpper)
    }
}
