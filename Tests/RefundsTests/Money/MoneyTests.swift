import Refunds
import Testing

@Suite struct MoneyTests {
    @Test(
        arguments: [
            ("4.99", "EUR", 4990), ("4.9", "EUR", 4900), ("4", "EUR", 4000), ("0.01", "USD", 10),
            ("007.50", "EUR", 7500),
            ("359", "JPY", 359_000), ("3300", "KRW", 3_300_000), ("9007199254740.99", "EUR", 9_007_199_254_740_990),
            // What doubles would spoil: 1.10 × 1000, 8.2 × 1000, 1.005 and their like.
            ("1.10", "EUR", 1100), ("8.20", "EUR", 8200), ("1234567.89", "EUR", 1_234_567_890),
        ] as [(String, String, Int64)])
    func `decimal text becomes milliunits exactly`(_ text: String, _ code: String, _ expected: Int64) throws {
        #expect(try Money(decimal: text, currency: currency(code)).milliunits == expected)
    }

    @Test(arguments: [
        ("", "EUR", MoneyError.notDecimal("")), ("4,99", "EUR", .notDecimal("4,99")),
        (".99", "EUR", .notDecimal(".99")),
        ("4.", "EUR", .notDecimal("4.")), ("-4.99", "EUR", .notDecimal("-4.99")), ("+1", "EUR", .notDecimal("+1")),
        ("1e3", "EUR", .notDecimal("1e3")), (" 1", "EUR", .notDecimal(" 1")), ("1.2.3", "EUR", .notDecimal("1.2.3")),
        ("1 000", "EUR", .notDecimal("1 000")), ("٤", "EUR", .notDecimal("٤")),
        ("4.990", "EUR", .tooPrecise("4.990", currency: "EUR", 2)),
        ("359.00", "JPY", .tooPrecise("359.00", currency: "JPY", 0)),
        ("0", "EUR", .notPositive("0")), ("0.00", "EUR", .notPositive("0.00")),
        ("9007199254741", "EUR", .tooLarge("9007199254741")),
        ("99999999999999999999", "EUR", .tooLarge("99999999999999999999")),
        ("4.99", "XAU", .unknownDecimals("XAU")),
    ])
    func `what is no amount says why`(_ text: String, _ code: String, _ expected: MoneyError) throws {
        let currency = try currency(code)
        let error = #expect(throws: MoneyError.self) { try Money(decimal: text, currency: currency) }
        #expect(error == expected)
        #expect(error?.description.isEmpty == false)
    }

    @Test(
        arguments: [
            (4990, "EUR", "4.99 EUR"), (4900, "EUR", "4.90 EUR"), (10, "USD", "0.01 USD"), (359_000, "JPY", "359 JPY"),
            (0, "EUR", "0.00 EUR"), (-4990, "EUR", "-4.99 EUR"), (4995, "EUR", "4.995 EUR"),
            (359_500, "JPY", "359.5 JPY"),
            (5000, "XAU", "5 XAU"), (5010, "XAU", "5.01 XAU"),
        ] as [(Int64, String, String)])
    func `amounts are shown with the currency's decimals and hide nothing`(
        _ milliunits: Int64, _ code: String, _ expected: String
    ) throws {
        #expect(try "\(Money(milliunits: milliunits, currency: currency(code)))" == expected)
    }

    @Test func `what is shown is read back`() throws {
        var random = SplitMix(seed: 3)
        for code in ["EUR", "JPY"] {
            let currency = try currency(code)
            let step = try #require(currency.step)
            for _ in 0..<500 {
                let milliunits = step * Int64.random(in: 1...(Money.largest / step), using: &random)
                let money = Money(milliunits: milliunits, currency: currency)
                #expect(try Money(decimal: money.decimal, currency: currency) == money)
            }
        }
    }

    private func currency(_ code: String) throws -> Currency { try #require(Currency(code)) }
}
