/// A value of a JSON5 file (https://spec.json5.org) and where it stands.
struct JSON5: Sendable, Hashable {
    enum Value: Sendable, Hashable {
        case null
        case bool(Bool)
        case number(Double)
        case string(String)
        case array([JSON5])
        case object([Member])
    }

    struct Member: Sendable, Hashable {
        let key: String
        let value: JSON5
    }

    let value: Value
    /// Counted from 1.
    let line: Int

    /// What the value is, to end the sentence "expects a number, not …".
    var kind: String {
        switch value {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "a text"
        case .array: "a list"
        case .object: "an object"
        }
    }
}

/// Why a file is no JSON5.
struct JSON5Error: Error, Hashable {
    let line: Int
    let column: Int
    let message: String
}
