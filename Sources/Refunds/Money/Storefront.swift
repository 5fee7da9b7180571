/// A country whose App Store sold something: ISO 3166-1 alpha-3, three capitals.
package struct Storefront: Sendable, Hashable {
    package let code: String

    package init?(_ code: String) {
        guard ASCII.isThreeCapitals(code) else { return nil }
        self.code = code
    }

    /// Whether a `refundAmount` there includes tax: everywhere but in the United States and Canada (fact sheet, 3.6).
    package var amountsIncludeTax: Bool { code != "USA" && code != "CAN" }
}
