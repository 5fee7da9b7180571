/// Why bytes are no JSON that we take, and where.
package struct JSONError: Error, Hashable {
    package enum Code: String, Sendable {
        case byteOrderMark, notUTF8, unexpectedEnd, unexpectedCharacter, trailingCharacters
        case duplicateKey, tooDeep, malformedNumber, numberTooLarge
        case controlCharacter, malformedEscape, unpairedSurrogate
    }

    package let code: Code
    /// Counted in bytes from 0.
    package let offset: Int
    /// The value in which it happened: `request.items[0]`, or the duplicate key's own path; empty at the top.
    package private(set) var path: String = ""
    package let message: String

    init(_ code: Code, at offset: Int, _ message: String, path: String = "") {
        self.code = code
        self.offset = offset
        self.message = message
        self.path = path
    }

    /// The same error seen from one level further out.
    func inside(_ step: JSONPath.Step) -> JSONError {
        var copy = self
        copy.path = JSONPath.join(step, path)
        return copy
    }
}

extension JSONError: CustomStringConvertible {
    package var description: String {
        "\(message) (byte \(offset)\(path.isEmpty ? "" : ", in \(path)"))"
    }
}
