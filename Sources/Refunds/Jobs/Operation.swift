/// Which of Apple's three endpoints a job calls.
package enum Operation: String, Sendable, Hashable, CaseIterable {
    /// Request Transaction Refund: items of one transaction.
    case refund
    /// Revoke Subscription: base plan and add-ons end and are refunded together.
    case revoke
    /// Cancel a Subscription: no renewal, no refund.
    case cancel

    /// Whether an outcome is still to come after Apple's 200.
    package var movesMoney: Bool { self != .cancel }
}
