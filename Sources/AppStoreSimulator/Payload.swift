import Crypto

/// The payloads that a 200 carries, before they are signed. Times are UNIX ms, prices milliunits.
///
/// What isn't known of a transaction is made up from its identifier, the same each time.
struct Payload {
    let app: SimulatedApp
    let transactionId: String
    let known: SimulatedTransaction?
    let account: Book.Account
    let call: Call
    let decisionMs: Int64
    let nowMs: Int64

    private var original: String { known?.originalTransactionId ?? transactionId }
    private var productId: String { known?.productId ?? app.bundleId + ".generic" }
    private var currency: String { known?.currency ?? call.currency ?? "USD" }
    private var storefront: String { known?.storefront ?? call.storefront ?? "USA" }
    private var kind: SimulatedTransaction.Kind { known?.kind ?? .subscription }
    private var accountToken: JSONValue? {
        guard let token = known?.appAccountToken ?? call.appAccountToken, !token.isEmpty else { return nil }
        return .string(token)
    }

    /// Whether a 200 to a refund request has renewal info too.
    var hasRenewal: Bool { kind == .subscription || call.endpoint != .requestRefund }

    /// Fields as in Apple's JWSTransactionDecodedPayload. The refund just asked for isn't in it yet: whether Apple's is
    /// unknown. Decided ones are.
    var transaction: JSONValue {
        let items = items
        let total = items.reduce(0) { $0 + $1.price }
        let day: Int64 = 86_400_000
        var members: [JSONValue.Member] = []
        func add(_ name: String, _ value: JSONValue?) {
            if let value { members.append(.init(name: name, value: value)) }
        }
        add("transactionId", .string(transactionId))
        add("originalTransactionId", .string(original))
        add("bundleId", .string(app.bundleId))
        add("productId", .string(productId))
        if kind == .subscription { add("subscriptionGroupIdentifier", .string("21000000")) }
        add("purchaseDate", .int(nowMs - 10 * day))
        add("originalPurchaseDate", .int(nowMs - 40 * day))
        if kind == .subscription { add("expiresDate", .int(nowMs + (known?.isActive == false ? -1 : 20) * day)) }
        add("quantity", .int(1))
        add("type", .string(kind.name))
        add("appAccountToken", accountToken)
        add("inAppOwnershipType", .string("PURCHASED"))
        add("signedDate", .int(nowMs))
        add("transactionReason", .string("PURCHASE"))
        add("environment", .string(app.environment.name))
        add("storefront", .string(storefront))
        add("storefrontId", .string("143441"))
        add("price", .int(total))
        add("currency", .string(currency))
        if let whole = decided(Call.wholeSubscription).first { add("revocationDate", .int(whole.atMs + decisionMs)) }
        add(
            "advancedCommerceInfo",
            .members([
                "requestReferenceId": .string(call.referenceId.lowercased()),
                "descriptors": .members([
                    "displayName": .string("Simulated purchase"), "description": .string("Made by the simulator"),
                ]),
                "period": .string("P1M"),
                "taxCode": .string("C003-00-1"),
                "taxExclusivePrice": .int(total),
                "estimatedTax": .int(0),
                "taxRate": .string("0.00"),
                "items": .array(items.map(item)),
            ]))
        return .object(members)
    }

    /// Fields as in Apple's JWSRenewalInfoDecodedPayload.
    var renewal: JSONValue {
        var members: [JSONValue.Member] = [
            .init(name: "originalTransactionId", value: .string(original)),
            .init(name: "autoRenewProductId", value: .string(productId)),
            .init(name: "productId", value: .string(productId)),
            .init(name: "autoRenewStatus", value: .int(account.autoRenews ? 1 : 0)),
            .init(name: "renewalDate", value: .int(nowMs + 20 * 86_400_000)),
            .init(name: "currency", value: .string(currency)),
            .init(name: "environment", value: .string(app.environment.name)),
            .init(name: "signedDate", value: .int(nowMs)),
        ]
        if let accountToken { members.append(.init(name: "appAccountToken", value: accountToken)) }
        let token = Payload.consistencyToken(original: original, bundleId: app.bundleId, revision: account.revision)
        members.append(
            .init(
                name: "advancedCommerceInfo",
                value: .members([
                    "consistencyToken": .string(token),
                    "requestReferenceId": .string(call.referenceId.lowercased()),
                    "period": .string("P1M"),
                    "taxCode": .string("C003-00-1"),
                    "items": .array(
                        items.map { .members(["SKU": .string($0.sku), "price": .int($0.price)]) }),
                ])))
        return .object(members)
    }

    /// Changes with every change of the subscription, and can't be guessed from outside.
    static func consistencyToken(original: String, bundleId: String, revision: Int) -> String {
        Base64URL.encode(Array(Digest.sha256(Array("\(bundleId)\n\(original)\n\(revision)".utf8)).prefix(18)))
    }

    // MARK: Items

    private struct Priced {
        let sku: String
        let price: Int64
    }

    private var items: [Priced] {
        if let known, !known.items.isEmpty {
            return known.items.sorted { $0.key < $1.key }.map { Priced(sku: $0.key, price: $0.value) }
        }
        let named = Set(call.items.map(\.sku)).union(account.lines.keys).subtracting([Call.wholeSubscription])
        let skus = named.isEmpty ? [productId] : named.sorted()
        return skus.map { Priced(sku: $0, price: 9990) }
    }

    private func decided(_ sku: String) -> [Book.Line] {
        (account.lines[sku] ?? []).filter { !$0.isDecline && $0.atMs + decisionMs <= nowMs }
    }

    private func item(_ priced: Priced) -> JSONValue {
        let refunds = decided(priced.sku) + decided(Call.wholeSubscription)
        var members: [JSONValue.Member] = [
            .init(name: "SKU", value: .string(priced.sku)),
            .init(name: "displayName", value: .string(priced.sku)),
            .init(name: "description", value: .string(priced.sku)),
            .init(name: "price", value: .int(priced.price)),
        ]
        if let ended = refunds.first(where: \.revoke) {
            members.append(.init(name: "revocationDate", value: .int(ended.atMs + decisionMs)))
        }
        if !refunds.isEmpty {
            let entries = refunds.map { line in
                JSONValue.members([
                    "refundAmount": .int(line.amount ?? (line.type == .full ? priced.price : priced.price / 2)),
                    "refundDate": .int(line.atMs + decisionMs),
                    "refundReason": .string(line.reason),
                    "refundType": .string(line.type.rawValue),
                ])
            }
            members.append(.init(name: "refunds", value: .array(entries)))
        }
        return .object(members)
    }
}
