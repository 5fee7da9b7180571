/// A purchase that this Apple knows in detail. What isn't given isn't checked.
package struct SimulatedTransaction: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        case subscription
        case oneTime

        var name: String { self == .subscription ? "Auto-Renewable Subscription" : "Consumable" }
    }

    package var kind = Kind.subscription
    /// The first transaction of the subscription; nil: this one.
    package var originalTransactionId: String?
    package var productId: String?
    package var storefront: String?
    package var currency: String?
    package var appAccountToken: String?
    /// Milliunits by SKU; empty: any SKU, any amount.
    package var items: [String: Int64] = [:]
    /// Whether the subscription runs.
    package var isActive = true
    /// Whether no later transaction of the subscription exists; PRORATED needs it.
    package var isLatest = true
    package var isRefundable = true
    /// The customer has asked for a refund too, and Apple hasn't decided.
    package var hasPendingRefund = false
    package var isRefunded = false

    package init() {}
}

extension SimulatedTransaction: Decodable {
    enum Keys: String, ScenarioKeys {
        case type, originalTransactionId, productId, storefront, currency, appAccountToken, items, active, latest
        case refundable, pendingRefund, refunded
    }

    package init(from decoder: any Decoder) throws {
        let keys = try decoder.strict(Keys.self)
        kind = try keys.word(.type, or: .subscription)
        originalTransactionId = try keys.decodeIfPresent(String.self, forKey: .originalTransactionId)
        productId = try keys.decodeIfPresent(String.self, forKey: .productId)
        storefront = try keys.decodeIfPresent(String.self, forKey: .storefront)
        currency = try keys.decodeIfPresent(String.self, forKey: .currency)
        appAccountToken = try keys.decodeIfPresent(String.self, forKey: .appAccountToken)
        items = try keys.value(.items, or: [:])
        isActive = try keys.value(.active, or: true)
        isLatest = try keys.value(.latest, or: true)
        isRefundable = try keys.value(.refundable, or: true)
        hasPendingRefund = try keys.value(.pendingRefund, or: false)
        isRefunded = try keys.value(.refunded, or: false)
    }
}
