/// One word of a command: bytes, whatever they mean.
package struct RedisWord: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }
    package init(_ text: String) {
        var text = text
        // As one block: an array of a view is filled byte by byte.
        bytes = text.withUTF8 { Array($0) }
    }

    package init(_ number: some BinaryInteger) { self.init(String(number)) }
    package init(stringLiteral text: String) { self.init(text) }
    package init(integerLiteral number: Int64) { self.init(String(number)) }
}
