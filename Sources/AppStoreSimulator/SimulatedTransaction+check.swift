extension SimulatedTransaction {
    /// What Apple has to say to a call about this very purchase, before looking at earlier refunds.
    func check(_ call: Call) throws(Refusal) {
        if let storefront, let given = call.storefront, given != storefront { throw Refusal(.mismatchedStorefront) }
        // Apple lists no code of its own for a currency that isn't the transaction's.
        if let currency, let given = call.currency, given != currency { throw Refusal(.invalidCurrency) }
        if call.endpoint != .requestRefund {
            guard kind == .subscription else { throw Refusal(.subscriptionDoesNotExist) }
            if call.endpoint == .revoke, !isActive { throw Refusal(.revokeOnInactiveSubscription) }
        }
        guard call.endpoint != .cancel else { return }
        if hasPendingRefund { throw Refusal(.pendingRefund) }
        if isRefunded { throw Refusal(.alreadyRefunded) }
        guard isRefundable else { throw Refusal(.transactionNotRefundable) }
        if !isLatest, call.items.contains(where: { $0.type == .prorated }) {
            throw Refusal(.proratedOnlyLatestTransaction)
        }
        guard call.endpoint == .requestRefund, !items.isEmpty else { return }
        guard call.items.allSatisfy({ items[$0.sku] != nil }) else { throw Refusal(.invalidSKU) }
        if kind == .subscription, isActive,
            items.keys.allSatisfy({ sku in call.items.contains { $0.sku == sku && $0.revoke } })
        {
            throw Refusal(.removalAllNotAllowed)
        }
    }
}
