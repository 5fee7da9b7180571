/// Why money goes back, in Apple's words (Advanced Commerce API, `refundReason`).
package enum RefundReason: String, Sendable, Hashable, CaseIterable {
    case unintendedPurchase = "UNINTENDED_PURCHASE"
    case fulfillmentIssue = "FULFILLMENT_ISSUE"
    case unsatisfiedWithPurchase = "UNSATISFIED_WITH_PURCHASE"
    case legal = "LEGAL"
    case other = "OTHER"
    /// The customer changed the items of a subscription. Only on Request Transaction Refund; see the fact sheet, 3.5.
    case modifyItemsRefund = "MODIFY_ITEMS_REFUND"
    /// Apple declines, for a test. Sandbox only, and then on all items.
    case simulateRefundDecline = "SIMULATE_REFUND_DECLINE"
}

/// How much goes back, in Apple's words (Advanced Commerce API, `refundType`).
package enum RefundType: String, Sendable, Hashable, CaseIterable {
    case full = "FULL"
    /// The share of the unused time; works on the latest transaction of a subscription only.
    case prorated = "PRORATED"
    /// The amount that the request names.
    case custom = "CUSTOM"
}
