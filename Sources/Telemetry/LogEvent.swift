private import Foundation

/// What happened, before it becomes a line.
package struct LogEvent: Sendable, Hashable {
    package struct Field: Sendable, Hashable {
        package let name: String
        package let value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// UNIX time in milliseconds, by this machine's wall clock: for readers only, nothing is decided by it.
    package let time: Int64
    package let level: Log.Level
    package let label: String
    package let message: String
    package let fields: [Field]

    package init(time: Int64, level: Log.Level, label: String, message: String, fields: [Field]) {
        self.time = time
        self.level = level
        self.label = label
        self.message = message
        self.fields = fields
    }

    /// The value of the first field of that name.
    package subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }
}

extension LogEvent {
    /// How an event is spelled as one line; neither way lets a text break out of its line.
    package enum Style: String, Sendable, CaseIterable {
        /// For people: `2026-11-30T01:50:00.123Z notice worker: lease lost job=case-4711 app=audiobooks`
        case text
        /// For collectors: one JSON object with `time`, `level`, `label`, `message` and the fields beside them.
        case json
    }

    /// The event as one line without its line feed.
    package func line(_ style: Style) -> String {
        switch style {
        case .text: text
        case .json: json
        }
    }

    private var stamp: String {
        // Whole seconds and milliseconds apart: as a fraction of a Double the last digit is cut, not rounded.
        let (seconds, milliseconds) = time.quotientAndRemainder(dividingBy: 1000)
        let whole = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
        return whole.dropLast() + "." + String(milliseconds + 1000).dropFirst() + "Z"
    }

    private var text: String {
        var line = "\(stamp) \(level.rawValue) \(label): \(Self.escaped(message, quotes: false))"
        for field in fields { line += " \(field.name)=\(Self.logfmt(field.value))" }
        return line
    }

    private var json: String {
        var members = [("time", stamp), ("level", level.rawValue), ("label", label), ("message", message)]
        // A field must not hide one of the four; it keeps its value under another name.
        let taken = Set(members.map(\.0))
        members += fields.map { (taken.contains($0.name) ? "field." + $0.name : $0.name, $0.value) }
        return "{" + members.map { "\(Self.quoted($0.0)):\(Self.quoted($0.1))" }.joined(separator: ",") + "}"
    }

    private static func logfmt(_ value: String) -> String {
        let isPlain =
            !value.isEmpty && !value.contains { $0 == " " || $0 == "=" } && escaped(value, quotes: true) == value
        return isPlain ? value : quoted(value)
    }

    private static func quoted(_ text: String) -> String { "\"" + escaped(text, quotes: true) + "\"" }

    /// JSON's escapes (RFC 8259, section 7); without quotes only what would break the line.
    private static func escaped(_ text: String, quotes: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"" where quotes: result += "\\\""
            case "\\" where quotes: result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            // Control characters move a terminal's cursor; the two separators end a line in some readers.
            case _
            where scalar.value < 0x20 || scalar.value == 0x7F || (0x80...0x9F).contains(scalar.value)
                || scalar.value == 0x2028 || scalar.value == 0x2029:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
