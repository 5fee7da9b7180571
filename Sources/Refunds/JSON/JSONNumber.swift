/// A JSON number with the very characters it was written in.
package struct JSONNumber: Sendable, Hashable {
    /// As RFC 8259, section 6, allows: `4990`, `-0`, `1.5e3`.
    package let lexeme: String

    package init(_ value: Int64) {
        lexeme = String(value)
    }

    /// The caller has checked the grammar and that a double can hold the value.
    init(checked lexeme: String) {
        self.lexeme = lexeme
    }

    /// Nil for `4990.0` and `1e3` too: who writes an amount that way may mean something else.
    package var integer: Int64? { Int64(lexeme) }

    /// The form that RFC 8785, section 3.2.2.3, prescribes: the shortest that ECMAScript would print.
    ///
    /// Integers beyond 2^53 lose digits here, as the RFC wants; jobs allow none.
    package var canonical: String {
        if let integer, integer.magnitude <= Self.largestExact {
            return String(integer)
        }
        return Self.ecmaScript(Double(lexeme) ?? 0)
    }

    /// 2^53: up to here each integer has a double of its own.
    static let largestExact: UInt64 = 9_007_199_254_740_992

    /// ECMA-262, Number::toString, radix 10. Swift finds the same shortest digits and only lays them out differently.
    static func ecmaScript(_ value: Double) -> String {
        guard value != 0 else { return "0" }
        let (digits, pointAt) = shortestDigits(value.magnitude)
        let sign = value < 0 ? "-" : ""
        return sign + layOut(digits, pointAt: pointAt)
    }

    /// The significant digits d₁…dₖ and n, so that the value is 0.d₁…dₖ × 10ⁿ.
    private static func shortestDigits(_ magnitude: Double) -> (digits: String, pointAt: Int) {
        let parts = magnitude.description.split(separator: "e")
        let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        let whole = String(mantissa[0])
        let fraction = mantissa.count > 1 ? String(mantissa[1]) : ""
        let all = whole + fraction
        let leadingZeros = all.prefix { $0 == "0" }.count
        var digits = String(all.dropFirst(leadingZeros))
        while digits.last == "0" { digits.removeLast() }
        return (digits, whole.count + exponent - leadingZeros)
    }

    private static func layOut(_ digits: String, pointAt n: Int) -> String {
        let count = digits.count
        switch n {
        case 1...21 where count <= n:
            return digits + String(repeating: "0", count: n - count)
        case 1...21:
            return digits.prefix(n) + "." + digits.dropFirst(n)
        case -5...0:
            return "0." + String(repeating: "0", count: -n) + digits
        default:
            let exponent = (n > 0 ? "+" : "-") + String((n - 1).magnitude)
            let fraction = count > 1 ? "." + digits.dropFirst() : ""
            return digits.prefix(1) + fraction + "e" + exponent
        }
    }
}
