import Testing

@testable import Refunds

@Suite struct CurrencyTests {
    @Test func `Apple's two lists share no currency, and each entry is a code`() {
        #expect(Currency.withoutDecimals.count == 21)
        #expect(Currency.withTwoDecimals.count == 23)
        #expect(Currency.withoutDecimals.isDisjoint(with: Currency.withTwoDecimals))
        #expect(Currency.withoutDecimals.union(Currency.withTwoDecimals).allSatisfy { Currency($0) != nil })
    }

    @Test(arguments: [("JPY", 0, 1000), ("HUF", 0, 1000), ("EUR", 2, 10), ("CZK", 2, 10)])
    func `decimals and steps follow Apple's list`(_ code: String, _ decimals: Int, _ step: Int64) {
        #expect(Currency(code)?.decimals == decimals)
        #expect(Currency(code)?.step == step)
    }

    @Test(arguments: ["", "eur", "EU", "EURO", "E1R", "ÄÖÜ", "EUR "])
    func `what isn't three capitals is neither currency nor storefront`(_ code: String) {
        #expect(Currency(code) == nil)
        #expect(Storefront(code) == nil)
    }

    @Test(arguments: [("USA", false), ("CAN", false), ("DEU", true), ("GBR", true), ("JPN", true)])
    func `amounts include tax everywhere but in the USA and Canada`(_ code: String, _ includesTax: Bool) {
        #expect(Storefront(code)?.amountsIncludeTax == includesTax)
    }
}
