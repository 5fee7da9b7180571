/// What this Apple has done: refunds by transaction and SKU, subscriptions that ended, ids that were used.
///
/// It is the server's own memory of money. A client's opinion of what was paid has no way in.
struct Book: Sendable {
    struct Line: Sendable {
        let type: Call.RefundType
        let reason: String
        let amount: Int64?
        let revoke: Bool
        let atMs: Int64

        var isDecline: Bool { reason == Call.declineReason }
    }

    struct Purchase: Hashable {
        let bundleId: String
        let transactionId: String
    }

    /// What has happened to one transaction.
    struct Account: Sendable {
        var lines: [String: [Line]] = [:]
        var autoRenews = true
        /// Rises with everything that is done; consistency tokens and cached payloads hang on it.
        var revision = 0

        /// The refund that left nothing of a SKU to refund, declined ones aside; nil while only parts were refunded.
        func finalRefund(of sku: String) -> Line? {
            (lines[sku] ?? []).first { !$0.isDecline && $0.type != .custom }
        }

        var isRevoked: Bool { finalRefund(of: Call.wholeSubscription) != nil }
    }

    struct Remembered: Sendable {
        let bodyHash: String
        /// What the 200 said; signing it again says the same.
        let payload: Payload
    }

    private var accounts: [Purchase: Account] = [:]
    private var references: [String: [String: Remembered]] = [:]

    func account(_ purchase: Purchase) -> Account { accounts[purchase] ?? Account() }

    // MARK: Ids

    /// The call of that app that was processed under this id, in whatever case it is spelt.
    func remembered(_ referenceId: String, bundleId: String) -> Remembered? {
        references[bundleId]?[referenceId.lowercased()]
    }

    mutating func remember(_ call: Remembered, as referenceId: String, bundleId: String) {
        references[bundleId, default: [:]][referenceId.lowercased()] = call
    }

    // MARK: Money

    /// Nil when the call may be done, else what Apple says to it. `subscription` is the purchase that a revoke or cancel
    /// of any of its transactions ends.
    func refusal(
        of call: Call, for purchase: Purchase, in subscription: Purchase, known: SimulatedTransaction?,
        scenario: Scenario, nowMs: Int64
    ) -> Refusal? {
        let whole = account(subscription)
        // Cancelling twice is unknown at Apple: here it succeeds again. A revoked subscription has nothing to cancel.
        if call.endpoint == .cancel { return whole.isRevoked ? Refusal(.subscriptionNotEligible) : nil }
        guard scenario.refusesDoubleRefunds else { return nil }
        let undecided = { (line: Line) in !line.isDecline && nowMs < line.atMs + scenario.decisionMs }
        let account = call.endpoint == .revoke ? whole : account(purchase)
        for account in [account, whole] {
            if let pending = pendingRefusal(of: call, account, scenario.pending, undecided) { return pending }
        }
        if whole.isRevoked {
            return Refusal(call.endpoint == .revoke ? .revokeOnInactiveSubscription : .alreadyRefunded)
        }
        return call.items.lazy.compactMap { doneRefusal(of: $0, account, known) }.first
    }

    private func pendingRefusal(
        of call: Call, _ account: Account, _ rule: Scenario.PendingRule, _ undecided: (Line) -> Bool
    ) -> Refusal? {
        let blocks: Bool
        switch rule {
        case .never: blocks = false
        case .transaction: blocks = account.lines.values.joined().contains(where: undecided)
        case .sku:
            let skus = call.items.map(\.sku) + [Call.wholeSubscription]
            blocks = skus.contains { account.finalRefund(of: $0).map(undecided) ?? false }
        }
        return blocks ? Refusal(.pendingRefund) : nil
    }

    private func doneRefusal(of item: Call.Item, _ account: Account, _ known: SimulatedTransaction?) -> Refusal? {
        if account.finalRefund(of: item.sku) != nil { return Refusal(.alreadyRefunded) }
        guard let price = known?.items[item.sku] else { return nil }
        let taken = (account.lines[item.sku] ?? []).filter { !$0.isDecline }.reduce(0) { $0 + ($1.amount ?? 0) }
        guard taken < price else { return Refusal(.alreadyRefunded) }
        if let amount = item.amount, amount > price - taken { return Refusal(.invalidAmount) }
        return nil
    }

    mutating func enter(_ call: Call, for purchase: Purchase, nowMs: Int64) {
        accounts[purchase, default: Account()].enter(call, nowMs: nowMs)
    }
}

extension Book.Account {
    fileprivate mutating func enter(_ call: Call, nowMs: Int64) {
        revision += 1
        if call.endpoint != .requestRefund { autoRenews = false }
        for item in call.items {
            let line = Book.Line(
                type: item.type, reason: item.reason, amount: item.amount, revoke: item.revoke, atMs: nowMs)
            lines[item.sku, default: []].append(line)
        }
    }
}
