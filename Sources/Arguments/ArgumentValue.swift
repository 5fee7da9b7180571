/// A type that one word of the command line can be read as.
package protocol ArgumentValue: Sendable, SendableMetatype {
    /// Reads the word; nil if it is no such value.
    init?(argument: String)

    /// What was expected, to end the sentence "--limit expects …".
    static var expectation: String { get }

    /// Every word that is allowed, where they can be counted; help lists them, and a near miss is answered by one.
    static var allowedWords: [String] { get }

    /// The word that stands for this value in help.
    var argument: String { get }
}

extension ArgumentValue {
    package static var allowedWords: [String] { [] }
}

extension ArgumentValue where Self: RawRepresentable & CaseIterable, RawValue == String {
    package init?(argument: String) { self.init(rawValue: argument) }
    package static var expectation: String { "one of " + allowedWords.joined(separator: ", ") }
    package static var allowedWords: [String] { allCases.map(\.rawValue) }
    package var argument: String { rawValue }
}

extension String: ArgumentValue {
    package init?(argument: String) { self = argument }
    package static var expectation: String { "a text" }
    package var argument: String { self }
}

extension Int: ArgumentValue {
    package init?(argument: String) { self.init(argument, radix: 10) }
    package static var expectation: String { "a whole number" }
    package var argument: String { String(self) }
}

extension Double: ArgumentValue {
    package init?(argument: String) {
        guard let value = Double(argument), value.isFinite else { return nil }
        self = value
    }

    package static var expectation: String { "a number" }
    package var argument: String { self == rounded() && abs(self) < 1e15 ? String(Int64(self)) : String(self) }
}

/// `yes` or `no`, for what must be said aloud; what may be left out is a flag.
extension Bool: ArgumentValue {
    package init?(argument: String) {
        switch argument {
        case "yes": self = true
        case "no": self = false
        default: return nil
        }
    }

    package static var expectation: String { "yes or no" }
    package static var allowedWords: [String] { ["yes", "no"] }
    package var argument: String { self ? "yes" : "no" }
}

/// A time span: `30` and `30s` are seconds, `500ms`, `5m`, `2h`, `7d`; fractions are allowed.
extension Duration: ArgumentValue {
    package init?(argument: String) {
        let units: [(suffix: String, seconds: Double)] = [
            ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("d", 86_400), ("", 1),
        ]
        guard let unit = units.first(where: { argument.hasSuffix($0.suffix) }) else { return nil }
        let digits = argument.dropLast(unit.suffix.count)
        guard digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let number = Double(digits) else {
            return nil
        }
        // A century is no time span that anyone means, and it keeps the arithmetic from overflowing.
        guard number * unit.seconds <= 3.2e9 else { return nil }
        self = .milliseconds((number * unit.seconds * 1000).rounded())
    }

    package static var expectation: String { "a time span such as 30, 500ms, 5m, 2h or 7d" }

    package var argument: String {
        let milliseconds = self / .milliseconds(1)
        let units: [(suffix: String, milliseconds: Double)] = [
            ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000),
        ]
        for unit in units where milliseconds >= unit.milliseconds {
            let number = milliseconds / unit.milliseconds
            if number == number.rounded() { return number.argument + unit.suffix }
        }
        return milliseconds.argument + "ms"
    }
}
