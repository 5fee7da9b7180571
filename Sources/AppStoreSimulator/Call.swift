/// One request body that passed Apple's checks of form.
package struct Call: Sendable, Hashable {
    package struct Item: Sendable, Hashable {
        package let sku: String
        package let reason: String
        package let type: RefundType
        /// Milliunits; with `CUSTOM` only.
        package let amount: Int64?
        package let revoke: Bool
    }

    package enum RefundType: String, Sendable, Hashable, CaseIterable {
        case full = "FULL"
        case prorated = "PRORATED"
        case custom = "CUSTOM"
    }

    /// The reason by which Apple's sandbox is asked to decline.
    static let declineReason = "SIMULATE_REFUND_DECLINE"

    package let endpoint: Endpoint
    /// As it was spelt; compare it in lower case.
    package let referenceId: String
    /// The items of a refund; for a revoke one item whose SKU is `*`; for a cancel none.
    package let items: [Item]
    package let storefront: String?
    package let currency: String?
    package let consistencyToken: String?
    package let appAccountToken: String?

    /// The SKU under which a whole subscription is booked.
    static let wholeSubscription = "*"
}
