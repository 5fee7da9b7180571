/// A currency as Apple's price rules know it (Advanced Commerce API, "Prices").
package struct Currency: Sendable, Hashable {
    /// ISO 4217, three capitals.
    package let code: String

    package init?(_ code: String) {
        guard ASCII.isThreeCapitals(code) else { return nil }
        self.code = code
    }

    /// How many decimals a price has; nil for a currency that Apple's page doesn't list: a human must decide.
    ///
    /// Apple's list, not ISO's: HUF, IDR or SEK have none here.
    package var decimals: Int? {
        if Self.withoutDecimals.contains(code) { return 0 }
        return Self.withTwoDecimals.contains(code) ? 2 : nil
    }

    /// What an amount must be a multiple of, in milliunits; nil where the decimals are unknown.
    package var step: Int64? {
        switch decimals {
        case 0: 1000
        case 2: 10
        default: nil
        }
    }

    static let withoutDecimals: Set<String> = [
        "CLP", "COP", "DKK", "HKD", "HUF", "IDR", "INR", "JPY", "KRW", "KZT", "MXN", "NGN", "NOK", "PHP", "PKR", "RUB",
        "SEK", "THB", "TWD", "TZS", "VND",
    ]

    static let withTwoDecimals: Set<String> = [
        "AED", "AUD", "BGN", "BRL", "CAD", "CHF", "CNY", "CZK", "EGP", "EUR", "GBP", "ILS", "MYR", "NZD", "PEN", "PLN",
        "QAR", "RON", "SAR", "SGD", "TRY", "USD", "ZAR",
    ]
}
