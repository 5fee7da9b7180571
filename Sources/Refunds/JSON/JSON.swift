/// A JSON value as it was written: numbers keep their digits, objects their order.
///
/// Foundation's reader silently takes the last of two equal keys and turns numbers into doubles. With money, both lose
/// it; see `docs/decisions/0010-a-json-reader-of-our-own.md`.
package enum JSON: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSON])
    case object(JSONObject)

    package static func integer(_ value: Int64) -> JSON { .number(JSONNumber(value)) }

    /// What kind of value this is, in the words of RFC 8259.
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    package var object: JSONObject? { if case .object(let object) = self { object } else { nil } }
    package var array: [JSON]? { if case .array(let array) = self { array } else { nil } }
    package var string: String? { if case .string(let string) = self { string } else { nil } }
    package var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }

    /// The value of a number written as an integer (no point, no exponent) that fits.
    package var integer: Int64? { if case .number(let number) = self { number.integer } else { nil } }

    /// The member of an object; nil too when this is no object.
    package subscript(key: String) -> JSON? { object?[key] }
}
