/// An amount in milliunits of a currency: 1 unit is 1,000.
package struct Money: Sendable, Hashable {
    package let milliunits: Int64
    package let currency: Currency

    /// 2^53 − 1: the largest integer that every JSON reader on the way keeps exact.
    package static let largest: Int64 = 9_007_199_254_740_991

    package init(milliunits: Int64, currency: Currency) {
        self.milliunits = milliunits
        self.currency = currency
    }

    /// Reads `4.99` the way a person types it, without floating point.
    ///
    /// A point, no comma, no separators, no sign, and no more decimals than the currency has.
    package init(decimal text: String, currency: Currency) throws(MoneyError) {
        guard let decimals = currency.decimals else { throw .unknownDecimals(currency.code) }
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = parts.count > 1 ? parts[1] : ""
        guard let whole = parts.first, Self.isDigits(whole), parts.count == 1 || Self.isDigits(fraction) else {
            throw .notDecimal(text)
        }
        guard fraction.utf8.count <= decimals else { throw .tooPrecise(text, currency: currency.code, decimals) }
        let digits = whole + fraction + String(repeating: "0", count: 3 - fraction.utf8.count)
        guard let milliunits = Int64(digits), milliunits <= Self.largest else { throw .tooLarge(text) }
        guard milliunits > 0 else { throw .notPositive(text) }
        self.init(milliunits: milliunits, currency: currency)
    }

    private static func isDigits(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(ASCII.isDigit)
    }

    /// `4.99`, `359`: as many decimals as the currency has, or as many as it takes to hide nothing.
    package var decimal: String {
        let magnitude = milliunits.magnitude
        let (whole, rest) = magnitude.quotientAndRemainder(dividingBy: 1000)
        var fraction = String(String(1000 + rest).dropFirst())
        let decimals = currency.decimals ?? 0
        while fraction.count > decimals, fraction.last == "0" { fraction.removeLast() }
        return (milliunits < 0 ? "-" : "") + String(whole) + (fraction.isEmpty ? "" : "." + fraction)
    }
}

extension Money: CustomStringConvertible {
    /// `4.99 EUR`
    package var description: String { "\(decimal) \(currency.code)" }
}

/// Why a text is no amount.
package enum MoneyError: Error, Hashable {
    case notDecimal(String)
    case tooPrecise(String, currency: String, Int)
    case tooLarge(String)
    case notPositive(String)
    case unknownDecimals(String)
}

extension MoneyError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notDecimal(let text):
            "\(JSONPath.quoted(text)) is no amount; write digits with a point, such as 4.99"
        case .tooPrecise(let text, let currency, let decimals):
            "\(JSONPath.quoted(text)) has too many decimals; \(currency) has \(decimals == 0 ? "none" : "\(decimals)")"
        case .tooLarge(let text): "\(JSONPath.quoted(text)) is larger than any amount that we send"
        case .notPositive(let text): "\(JSONPath.quoted(text)) is nothing to refund; an amount must be positive"
        case .unknownDecimals(let code):
            "Apple doesn't say how many decimals \(code) has; a human must decide, so use FULL or ask Apple"
        }
    }
}
