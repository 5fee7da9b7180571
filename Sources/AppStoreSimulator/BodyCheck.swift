/// Apple's checks of a body's form, in the order in which its fields are documented.
///
/// Which of several mistakes Apple names first is unknown; one is enough for a client to be wrong.
struct BodyCheck {
    let endpoint: Endpoint
    let environment: AppEnvironment
    /// Apple documents a limit (4000136) but not its height.
    let maximumItems: Int

    static let reasons: Set<String> = [
        "UNINTENDED_PURCHASE", "FULFILLMENT_ISSUE", "UNSATISFIED_WITH_PURCHASE", "LEGAL", "OTHER",
        "MODIFY_ITEMS_REFUND", Call.declineReason,
    ]

    func call(from body: JSONValue?) throws(Refusal) -> Call {
        guard let body, body.members != nil else { throw Refusal(.malformedPayload) }
        let info = try requestInfo(of: body)
        let storefront = try text("storefront", of: body)
        if let storefront, !Self.isThreeCapitals(storefront) { throw Refusal(.invalidStorefront) }
        if endpoint != .cancel { try checkRisking(of: body) }
        let currency = endpoint == .requestRefund ? try text("currency", of: body) : nil
        if let currency, !Self.isThreeCapitals(currency) { throw Refusal(.invalidCurrency) }
        return Call(
            endpoint: endpoint,
            referenceId: info.referenceId,
            items: try items(of: body, currency: currency),
            storefront: storefront,
            currency: currency,
            consistencyToken: info.consistencyToken,
            appAccountToken: info.appAccountToken)
    }

    // MARK: requestInfo

    private struct Info {
        let referenceId: String
        let appAccountToken: String?
        let consistencyToken: String?
    }

    private func requestInfo(of body: JSONValue) throws(Refusal) -> Info {
        guard let info = body["requestInfo"] else { throw Refusal(.nullRequestInfo) }
        guard info.members != nil else { throw Refusal(.malformedPayload) }
        guard let reference = info["requestReferenceId"] else { throw Refusal(.nullRequestReferenceID) }
        guard let referenceId = reference.string, Self.isUUID(referenceId) else {
            throw Refusal(.invalidRequestReferenceID)
        }
        let account = try text("appAccountToken", of: info)
        if let account, !account.isEmpty, !Self.isUUID(account) { throw Refusal(.invalidAppAccountToken) }
        return Info(
            referenceId: referenceId, appAccountToken: account,
            consistencyToken: try text("consistencyToken", of: info))
    }

    // MARK: Refund fields

    private func checkRisking(of body: JSONValue) throws(Refusal) {
        guard let preference = body["refundRiskingPreference"] else { throw Refusal(.nullRefundRisking) }
        guard preference.bool != nil else { throw Refusal(.malformedPayload) }
    }

    private func items(of body: JSONValue, currency: String?) throws(Refusal) -> [Call.Item] {
        switch endpoint {
        case .cancel: return []
        case .revoke:
            let type = try refundType(of: body)
            guard type != .custom else { throw Refusal(.invalidRefundType) }
            guard body["refundAmount"] == nil else { throw Refusal(.refundAmountWithoutCustom) }
            let reason = try reason(of: body)
            return [Call.Item(sku: Call.wholeSubscription, reason: reason, type: type, amount: nil, revoke: true)]
        case .requestRefund:
            let items = try refundItems(of: body, currency: currency)
            let declines = items.count { $0.reason == Call.declineReason }
            guard declines == 0 || declines == items.count else { throw Refusal(.partialSimulateRefundDecline) }
            return items
        }
    }

    private func refundItems(of body: JSONValue, currency: String?) throws(Refusal) -> [Call.Item] {
        guard let list = body["items"] else { throw Refusal(.nullItems) }
        guard let values = list.array else { throw Refusal(.malformedPayload) }
        guard !values.isEmpty else { throw Refusal(.atLeastOneItem) }
        guard values.count <= maximumItems else { throw Refusal(.moreItemsThanAllowed) }
        var items: [Call.Item] = []
        for value in values {
            let item = try item(from: value, currency: currency)
            guard !items.contains(where: { $0.sku == item.sku }) else {
                throw Refusal(.itemCannotBeSpecifiedMultipleTimes)
            }
            items.append(item)
        }
        return items
    }

    private func item(from value: JSONValue, currency: String?) throws(Refusal) -> Call.Item {
        guard value != .null else { throw Refusal(.nullItem) }
        guard value.members != nil else { throw Refusal(.malformedPayload) }
        guard let sku = try text("SKU", of: value) else { throw Refusal(.nullSKU) }
        guard !sku.isEmpty else { throw Refusal(.invalidSKU) }
        guard sku.count <= 128 else { throw Refusal(.skuLengthExceeded) }
        let reason = try reason(of: value)
        let type = try refundType(of: value)
        let amount = try amount(of: value, type: type, currency: currency)
        // Required, yet Apple lists no code for a missing one.
        guard let revoke = value["revoke"]?.bool else { throw Refusal(.malformedPayload) }
        return Call.Item(sku: sku, reason: reason, type: type, amount: amount, revoke: revoke)
    }

    private func reason(of value: JSONValue) throws(Refusal) -> String {
        guard let reason = try text("refundReason", of: value) else { throw Refusal(.nullRefundReason) }
        guard Self.reasons.contains(reason) else { throw Refusal(.invalidRefundReason) }
        guard reason != Call.declineReason || environment == .sandbox else {
            throw Refusal(.simulateRefundDeclineOnlyInSandbox)
        }
        return reason
    }

    private func refundType(of value: JSONValue) throws(Refusal) -> Call.RefundType {
        guard let word = try text("refundType", of: value) else { throw Refusal(.nullRefundType) }
        guard let type = Call.RefundType(rawValue: word) else { throw Refusal(.invalidRefundType) }
        return type
    }

    private func amount(of value: JSONValue, type: Call.RefundType, currency: String?) throws(Refusal) -> Int64? {
        let given = value["refundAmount"]
        guard type == .custom else {
            guard given == nil else { throw Refusal(.refundAmountWithoutCustom) }
            return nil
        }
        // 4000153 is documented as "missing or not valid": fractions, exponents, texts and huge numbers are here too.
        guard let amount = given?.integer else { throw Refusal(.nullRefundAmount) }
        guard amount > 0 else { throw Refusal(.negativeRefundAmount) }
        guard amount.isMultiple(of: Self.smallestAmount(of: currency)) else { throw Refusal(.invalidAmount) }
        return amount
    }

    // MARK: Words

    /// The text of a member. A value of another type is what Apple's reader can't parse.
    private func text(_ name: String, of value: JSONValue) throws(Refusal) -> String? {
        guard let found = value[name] else { return nil }
        guard let text = found.string else { throw Refusal(.malformedPayload) }
        return text
    }

    static func isThreeCapitals(_ text: String) -> Bool {
        text.utf8.count == 3 && text.utf8.allSatisfy { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 }
    }

    /// 8-4-4-4-12 hexadecimal digits, in either case.
    static func isUUID(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return false }
        return bytes.enumerated().allSatisfy { index, byte in
            if [8, 13, 18, 23].contains(index) { return byte == UInt8(ascii: "-") }
            return Character(Unicode.Scalar(byte)).isHexDigit
        }
    }

    /// Milliunits in the smallest amount of a currency. Apple gives the rule for prices; for refunds it is assumed.
    static func smallestAmount(of currency: String?) -> Int64 {
        guard let currency else { return 1 }
        if wholeCurrencies.contains(currency) { return 1000 }
        return centCurrencies.contains(currency) ? 10 : 1
    }

    private static let wholeCurrencies = Set(
        "CLP COP DKK HKD HUF IDR INR JPY KRW KZT MXN NGN NOK PHP PKR RUB SEK THB TWD TZS VND".split(separator: " ")
            .map(String.init))
    private static let centCurrencies = Set(
        "AED AUD BGN BRL CAD CHF CNY CZK EGP EUR GBP ILS MYR NZD PEN PLN QAR RON SAR SGD TRY USD ZAR"
            .split(separator: " ").map(String.init))
}
