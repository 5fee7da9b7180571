/// A reply, copied out of the codec.
package enum RedisValue: Sendable, Hashable {
    case null
    case integer(Int64)
    /// A status such as `OK`.
    case simple(String)
    case bulk([UInt8])
    case array([RedisValue])
    /// An error inside an array, where it can't be thrown (`EXEC`, a script's table).
    indirect case error(RedisServerError)
}

extension RedisValue {
    /// The text of a bulk or simple string, or of an integer. Bytes that are not UTF-8 are repaired with U+FFFD.
    package var string: String? {
        switch self {
        case .bulk(let bytes): String(decoding: bytes, as: UTF8.self)
        case .simple(let text): text
        case .integer(let number): String(number)
        case .null, .array, .error: nil
        }
    }

    /// The bytes of a bulk or simple string.
    package var bytes: [UInt8]? {
        switch self {
        case .bulk(let bytes): bytes
        case .simple(let text): Array(text.utf8)
        case .null, .integer, .array, .error: nil
        }
    }

    /// The number of an integer, or of a string that spells one.
    package var integer: Int64? {
        switch self {
        case .integer(let number): number
        case .bulk, .simple: string.flatMap { Int64($0) }
        case .null, .array, .error: nil
        }
    }

    package var array: [RedisValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The texts of an array; nil when an element has none.
    package var strings: [String]? {
        guard let array else { return nil }
        let strings = array.compactMap(\.string)
        return strings.count == array.count ? strings : nil
    }

    /// An array of alternating names and values (`HGETALL`) as a dictionary; nil when it is none.
    package var fields: [String: RedisValue]? {
        guard let array, array.count.isMultiple(of: 2) else { return nil }
        var fields: [String: RedisValue] = [:]
        for index in stride(from: 0, to: array.count, by: 2) {
            guard let name = array[index].string else { return nil }
            fields[name] = array[index + 1]
        }
        return fields
    }

    package var isNull: Bool { self == .null }
}
