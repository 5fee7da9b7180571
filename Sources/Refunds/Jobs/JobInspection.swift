/// Checks a job field by field and remembers everything that is wrong, not only the first.
///
/// Each `read…` returns a value only if the field is there and right; what is wrong is in `violations` by then. A job
/// exists once all fields are read and nothing was found.
struct JobInspection {
    private let rules: AppRules?
    private let origin: Job.Origin
    private(set) var violations: [Violation] = []

    init(rules: AppRules?, origin: Job.Origin) {
        self.rules = rules
        self.origin = origin
    }

    /// Which object a field stands in. Paths are only spelled out for a violation.
    enum Place {
        case envelope, request, requestInfo, item(Int)

        var path: String {
            switch self {
            case .envelope: ""
            case .request: "request"
            case .requestInfo: "request.requestInfo"
            case .item(let index): "request.items[\(index)]"
            }
        }

        func path(_ key: String) -> String { JSONPath.append(path, .key(key)) }
    }

    mutating func report(_ code: Violation.Code, _ path: String, _ message: String, remedy: String) {
        violations.append(Violation(code, at: path, message, remedy: remedy))
    }

    // MARK: The envelope

    static let envelopeFields = [
        "id", "app", "operation", "transactionId", "originalTransactionId", "allowRepeat", "request",
        "amountIncludesTax", "endsWholeSubscription", "priority", "notBefore", "requestedBy", "note",
    ]

    mutating func readJob(_ object: JSONObject) -> Job? {
        refuseUnknown(object, Self.envelopeFields, .envelope)
        let id = readId(object)
        let app = readApp(object)
        let operation = readOperation(object)
        let transactionId = readTransactionId(object, "transactionId", isRequired: true)
        let originalTransactionId = readTransactionId(object, "originalTransactionId", isRequired: false)
        let allowRepeat = readBool(object, "allowRepeat", .envelope)
        let amountIncludesTax = readBool(object, "amountIncludesTax", .envelope)
        let endsWholeSubscription = readBool(object, "endsWholeSubscription", .envelope) ?? false
        let priority = readPriority(object)
        let notBefore = readNotBefore(object)
        let requestedBy = readFreeText(object, "requestedBy", limit: 256)
        let note = readFreeText(object, "note", limit: 1024)
        let request = readRequest(object, operation)
        if operation == .revoke, !endsWholeSubscription, !isMistyped(object["endsWholeSubscription"]) {
            report(
                .endsWholeSubscriptionNotStated, "endsWholeSubscription",
                "a revoke ends and refunds the base plan and all add-ons, and the job doesn't say that this is known",
                remedy: "set endsWholeSubscription to true, or refund single items with the operation refund")
        }
        checkTax(object, amountIncludesTax, request)
        guard violations.isEmpty, let app, let operation, let transactionId, let request,
            let requestJSON = object["request"]
        else { return nil }
        let digest = Job.digest(app: app, operation: operation, request: requestJSON, transactionId: transactionId)
        return Job(
            id: id ?? "auto-" + digest.prefix(32), app: app, operation: operation, transactionId: transactionId,
            originalTransactionId: originalTransactionId, allowRepeat: allowRepeat ?? false, request: request,
            amountIncludesTax: amountIncludesTax, endsWholeSubscription: endsWholeSubscription, priority: priority,
            notBefore: notBefore, requestedBy: requestedBy, note: note, contentDigest: digest)
    }

    private func isMistyped(_ value: JSON?) -> Bool { value.map { $0.bool == nil } ?? false }

    static func isValid(id: String) -> Bool {
        (1...128).contains(id.utf8.count) && id.utf8.allSatisfy { ASCII.isWordOrDotOrDash($0) || $0 == 0x3A }
    }

    private mutating func readId(_ object: JSONObject) -> String? {
        guard let id = readString(object, "id", .envelope, isRequired: false) else { return nil }
        guard Self.isValid(id: id) else {
            report(
                .malformedId, "id", "not 1 to 128 of A-Z a-z 0-9 . _ : -",
                remedy: "use your own key for this refund, such as case-4711, or leave id out")
            return nil
        }
        return id
    }

    private mutating func readApp(_ object: JSONObject) -> String? {
        // On a stream the stream's name says it.
        if object["app"] == nil, origin != .line, let rules { return rules.name }
        guard let app = readString(object, "app", .envelope, isRequired: true) else { return nil }
        guard AppRules.isValid(name: app) else {
            report(
                .malformedApp, "app", "not 1 to 64 of A-Z a-z 0-9 . _ -",
                remedy: "name the app as the configuration does")
            return nil
        }
        guard let rules else {
            report(
                .unknownApp, "app", "no app is configured under the name \(app)",
                remedy: "name the app as the configuration does, or add it there")
            return nil
        }
        guard app == rules.name else {
            report(
                .appMismatch, "app", "the job names \(app), but came in for \(rules.name)",
                remedy: "send it where \(app)'s jobs go, or correct app")
            return nil
        }
        return app
    }

    private mutating func readOperation(_ object: JSONObject) -> Operation? {
        readEnum(object, "operation", .envelope, code: .unknownOperation, isRequired: true)
    }

    private mutating func readPriority(_ object: JSONObject) -> Priority {
        let named: Priority? = readEnum(object, "priority", .envelope, code: .unknownPriority, isRequired: false)
        guard case .lane(let lane) = origin else { return named ?? .normal }
        if let named, named != lane {
            report(
                .laneMismatch, "priority", "the job says \(named.rawValue), but stands in the lane \(lane.rawValue)",
                remedy: "add it to the stream of its priority, or leave priority out")
        }
        return lane
    }

    private mutating func readTransactionId(_ object: JSONObject, _ key: String, isRequired: Bool) -> String? {
        guard let id = readString(object, key, .envelope, isRequired: isRequired) else { return nil }
        guard (1...64).contains(id.utf8.count), id.utf8.allSatisfy(ASCII.isWordOrDash) else {
            report(
                key == "transactionId" ? .malformedTransactionId : .malformedOriginalTransactionId, key,
                "not 1 to 64 of A-Z a-z 0-9 _ -", remedy: "copy it from the transaction, as a string")
            return nil
        }
        return id
    }

    private mutating func readNotBefore(_ object: JSONObject) -> Int64? {
        guard let value = object["notBefore"] else { return nil }
        guard case .number(let number) = value else {
            reportType(value, "notBefore", .envelope, expected: "an integer")
            return nil
        }
        guard let time = number.integer, (0...Money.largest).contains(time) else {
            report(
                .malformedNotBefore, "notBefore", "\(shown(number)) is no UNIX time in milliseconds",
                remedy: "give a whole number of milliseconds, such as 1796036400000")
            return nil
        }
        // A time before 1973 is one in seconds, and would be taken for "at once".
        guard time == 0 || time >= 100_000_000_000 else {
            report(
                .malformedNotBefore, "notBefore", "\(time) looks like seconds",
                remedy: "give milliseconds: multiply by 1000")
            return nil
        }
        return time
    }

    private mutating func readFreeText(_ object: JSONObject, _ key: String, limit: Int) -> String? {
        guard let text = readString(object, key, .envelope, isRequired: false) else { return nil }
        // A text has at most as many characters as bytes, and counting bytes costs nothing.
        guard text.utf8.count <= limit || text.unicodeScalars.count <= limit else {
            report(
                .textTooLong, key, "longer than \(limit) characters", remedy: "shorten it to \(limit) characters")
            return nil
        }
        return text
    }

    // MARK: The request

    private mutating func readRequest(_ object: JSONObject, _ operation: Operation?) -> Request? {
        guard let request = readObject(object, "request", .envelope) else { return nil }
        // With an unreadable operation the fields still tell which rules are of use.
        switch operation ?? Self.likelyOperation(request) {
        case .refund: return readRefund(request)
        case .revoke: return readRevoke(request)
        case .cancel: return readCancel(request)
        }
    }

    private static func likelyOperation(_ request: JSONObject) -> Operation {
        if request["items"] != nil { return .refund }
        return request["refundType"] != nil || request["refundReason"] != nil ? .revoke : .cancel
    }

    private mutating func readRefund(_ object: JSONObject) -> Request? {
        let fields = ["requestInfo", "items", "refundRiskingPreference", "currency", "storefront"]
        refuseUnknown(object, fields, .request)
        let info = readRequestInfo(object)
        let currency = readCurrency(object)
        let items = readItems(object, currency)
        let preference = readRiskingPreference(object)
        let storefront = readStorefront(object)
        if items.contains(where: { $0.type == .custom }) {
            requireForCustom(object, "currency")
            requireForCustom(object, "storefront")
        }
        guard violations.isEmpty, let preference else { return nil }
        return .refund(
            RefundRequest(
                requestInfo: info, items: items.compactMap(\.item), refundRiskingPreference: preference,
                currency: currency?.code, storefront: storefront))
    }

    private mutating func readRevoke(_ object: JSONObject) -> Request? {
        let fields = ["requestInfo", "refundReason", "refundType", "refundRiskingPreference", "storefront"]
        refuseUnknown(object, fields, .request)
        let info = readRequestInfo(object)
        let reason = readReason(object, .request, on: .revoke)
        let type: RefundType? = readEnum(object, "refundType", .request, code: .unknownRefundType, isRequired: true)
        if type == .custom {
            report(
                .customOnlyOnRefund, "request.refundType", "a revoke knows only FULL and PRORATED",
                remedy: "choose one of them, or refund single items with the operation refund")
        }
        let preference = readRiskingPreference(object)
        let storefront = readStorefront(object)
        guard violations.isEmpty, let reason, let type, let preference else { return nil }
        return .revoke(
            RevokeRequest(
                requestInfo: info, refundReason: reason, refundType: type, refundRiskingPreference: preference,
                storefront: storefront))
    }

    private mutating func readCancel(_ object: JSONObject) -> Request? {
        refuseUnknown(object, ["requestInfo", "storefront"], .request)
        let info = readRequestInfo(object)
        let storefront = readStorefront(object)
        return .cancel(CancelRequest(requestInfo: info, storefront: storefront))
    }

    private mutating func readRequestInfo(_ object: JSONObject) -> RequestInfo? {
        guard object["requestInfo"] != nil, let info = readObject(object, "requestInfo", .request) else { return nil }
        let place = Place.requestInfo
        refuseUnknown(info, ["requestReferenceId", "appAccountToken", "consistencyToken"], place)
        let referenceId = readString(info, "requestReferenceId", place, isRequired: false)
        if let referenceId, !ReferenceId.isUUID(referenceId) {
            report(
                .malformedReferenceId, place.path("requestReferenceId"), "not a UUID",
                remedy: "give a UUID of your own for this request, or leave it out: the fleet makes one")
        }
        let account = readString(info, "appAccountToken", place, isRequired: false)
        if let account, !account.isEmpty, !ReferenceId.isUUID(account) {
            report(
                .malformedAppAccountToken, place.path("appAccountToken"), "neither a UUID nor empty",
                remedy: "copy it from the transaction, or leave it out")
        }
        let consistency = readString(info, "consistencyToken", place, isRequired: false)
        if let consistency, consistency.isEmpty {
            report(
                .malformedConsistencyToken, place.path("consistencyToken"), "empty",
                remedy: "copy it from Apple's newest renewal info, or, better, leave it out")
        }
        return RequestInfo(
            requestReferenceId: referenceId, appAccountToken: account, consistencyToken: consistency)
    }

    private mutating func readRiskingPreference(_ object: JSONObject) -> Bool? {
        let preference = readBool(object, "refundRiskingPreference", .request, isRequired: true)
        if preference == true, let rules, !rules.allowsRiskingPreference {
            report(
                .riskingPreferenceNotAllowed, "request.refundRiskingPreference",
                "true lets Apple ask about usage, and nobody answers for \(rules.name)",
                remedy: "set it to false, or set consumption to \"external\" for the app if your backend answers Apple")
        }
        return preference
    }

    private mutating func readCurrency(_ object: JSONObject) -> Currency? {
        guard let code = readString(object, "currency", .request, isRequired: false) else { return nil }
        if let currency = Currency(code) { return currency }
        report(
            .malformedCurrency, "request.currency", "not three capital letters",
            remedy: "copy the ISO 4217 code from the transaction, such as EUR")
        return nil
    }

    private mutating func readStorefront(_ object: JSONObject) -> String? {
        guard let code = readString(object, "storefront", .request, isRequired: false) else { return nil }
        if Storefront(code) != nil { return code }
        report(
            .malformedStorefront, "request.storefront", "not three capital letters",
            remedy: "copy the storefront from the transaction: ISO 3166-1 alpha-3, such as DEU")
        return nil
    }

    private mutating func requireForCustom(_ object: JSONObject, _ key: String) {
        guard object[key] == nil else { return }
        report(
            .missingField, "request.\(key)", "missing, though an item is CUSTOM",
            remedy: "copy \(key) from the transaction")
    }

    private mutating func checkTax(_ object: JSONObject, _ includesTax: Bool?, _ request: Request?) {
        guard let items = object["request"]?["items"]?.array,
            items.contains(where: { $0["refundType"]?.string == "CUSTOM" })
        else { return }
        guard let includesTax else {
            guard object["amountIncludesTax"] == nil else { return }
            report(
                .missingField, "amountIncludesTax", "missing, though an item is CUSTOM",
                remedy: "say whether the amount includes tax: false in USA and CAN, true everywhere else")
            return
        }
        guard let storefront = object["request"]?["storefront"]?.string.flatMap(Storefront.init) else { return }
        guard includesTax != storefront.amountsIncludeTax else { return }
        report(
            .taxMismatch, "amountIncludesTax",
            "\(includesTax), but Apple takes amounts in \(storefront.code) "
                + (storefront.amountsIncludeTax ? "with tax" : "without tax"),
            remedy: storefront.amountsIncludeTax
                ? "add the tax to refundAmount and say true" : "take the tax out of refundAmount and say false")
    }

    // MARK: Items

    private struct ItemReading {
        var item: RefundItem?
        var type: RefundType?
        var reason: RefundReason?
    }

    private mutating func readItems(_ object: JSONObject, _ currency: Currency?) -> [ItemReading] {
        guard let value = readPresent(object, "items", .request, isRequired: true) else { return [] }
        guard case .array(let items) = value else {
            reportType(value, "items", .request, expected: "an array")
            return []
        }
        guard !items.isEmpty else {
            report(.noItems, "request.items", "empty", remedy: "name at least one item of the transaction")
            return []
        }
        var skus: Set<String> = []
        var readings: [ItemReading] = []
        for (index, item) in items.enumerated() {
            guard case .object(let fields) = item else {
                report(
                    .wrongType, "request.items[\(index)]", "\(item.kind), not an object",
                    remedy: "give each item as an object with SKU, refundReason, refundType and revoke")
                continue
            }
            readings.append(readItem(fields, .item(index), currency, &skus))
        }
        checkSimulatedDeclines(readings)
        return readings
    }

    private mutating func readItem(
        _ object: JSONObject, _ place: Place, _ currency: Currency?, _ skus: inout Set<String>
    ) -> ItemReading {
        refuseUnknown(object, ["SKU", "refundReason", "refundType", "refundAmount", "revoke"], place)
        let sku = readSKU(object, place, &skus)
        let reason = readReason(object, place, on: .refund)
        let type: RefundType? = readEnum(object, "refundType", place, code: .unknownRefundType, isRequired: true)
        let amount = readAmount(object, place, type, currency)
        let revoke = readBool(object, "revoke", place, isRequired: true)
        var reading = ItemReading(item: nil, type: type, reason: reason)
        if let sku, let reason, let type, let revoke {
            reading.item = RefundItem(
                sku: sku, refundReason: reason, refundType: type, refundAmount: amount, revoke: revoke)
        }
        return reading
    }

    private mutating func readSKU(_ object: JSONObject, _ place: Place, _ skus: inout Set<String>) -> String? {
        guard let sku = readString(object, "SKU", place, isRequired: true) else { return nil }
        // Apple doesn't say what a character is; UTF-16 units is the strictest of the usual readings.
        guard !sku.isEmpty, sku.utf16.count <= 128 else {
            report(
                .malformedSKU, place.path("SKU"), sku.isEmpty ? "empty" : "longer than 128 characters",
                remedy: "copy the SKU from the transaction's advancedCommerceInfo.items")
            return nil
        }
        guard !sku.unicodeScalars.contains(where: ASCII.isControl) else {
            report(
                .controlCharacter, place.path("SKU"), "contains a control character",
                remedy: "copy the SKU from the transaction's advancedCommerceInfo.items")
            return nil
        }
        guard skus.insert(sku).inserted else {
            report(
                .duplicateSKU, place.path("SKU"), "\(JSONPath.quoted(sku)) comes twice in this request",
                remedy: "name each SKU once")
            return nil
        }
        return sku
    }

    private mutating func readReason(_ object: JSONObject, _ place: Place, on operation: Operation) -> RefundReason? {
        let reason: RefundReason? = readEnum(
            object, "refundReason", place, code: .unknownRefundReason, isRequired: true)
        if reason == .modifyItemsRefund, operation != .refund {
            report(
                .modifyItemsOnlyOnRefund, place.path("refundReason"),
                "MODIFY_ITEMS_REFUND fits the refund of items only",
                remedy: "choose the customer's reason")
        }
        if reason == .simulateRefundDecline, let rules, rules.environment != .sandbox {
            report(
                .simulatedDeclineOnlyInSandbox, place.path("refundReason"),
                "SIMULATE_REFUND_DECLINE is a test, and \(rules.name) is in production",
                remedy: "choose the customer's reason, or use an app of the sandbox")
        }
        return reason
    }

    private mutating func checkSimulatedDeclines(_ readings: [ItemReading]) {
        let simulated = readings.count { $0.reason == .simulateRefundDecline }
        guard simulated > 0, simulated < readings.count else { return }
        report(
            .simulatedDeclineOnSomeItems, "request.items", "SIMULATE_REFUND_DECLINE on some items only",
            remedy: "use it on all items or on none")
    }

    // MARK: Amounts

    private mutating func readAmount(
        _ object: JSONObject, _ place: Place, _ type: RefundType?, _ currency: Currency?
    ) -> Int64? {
        let path = { place.path("refundAmount") }
        guard let value = object["refundAmount"] else {
            if type == .custom {
                report(
                    .amountMissing, path(), "missing, though refundType is CUSTOM",
                    remedy: "give the amount in milliunits: 4.99 is 4990")
            }
            return nil
        }
        if let type, type != .custom {
            report(
                .amountWithoutCustom, path(), "an amount, though refundType is \(type.rawValue)",
                remedy: "leave refundAmount out, or set refundType to CUSTOM")
        }
        guard case .number(let number) = value else {
            reportType(value, "refundAmount", place, expected: "an integer")
            return nil
        }
        guard let amount = number.integer ?? Self.saturated(number) else {
            report(
                .amountNotInteger, path(), "\(shown(number)) is not written as an integer",
                remedy: "give milliunits without point and exponent: 4.99 is 4990")
            return nil
        }
        return check(amount, number, place, type, currency)
    }

    /// Plain digits that no Int64 holds are an integer all the same, only too large, or too far below zero.
    private static func saturated(_ number: JSONNumber) -> Int64? {
        let digits = number.lexeme.utf8.drop { $0 == UInt8(ascii: "-") }
        guard digits.allSatisfy(ASCII.isDigit) else { return nil }
        return number.lexeme.hasPrefix("-") ? .min : .max
    }

    private mutating func check(
        _ amount: Int64, _ number: JSONNumber, _ place: Place, _ type: RefundType?, _ currency: Currency?
    ) -> Int64? {
        let path = { place.path("refundAmount") }
        guard amount > 0 else {
            report(
                .amountNotPositive, path(), "\(shown(number)) is not positive",
                remedy: "give what the customer gets back, in milliunits")
            return nil
        }
        guard amount <= Money.largest else {
            report(
                .amountTooLarge, path(), "\(shown(number)) is larger than \(Money.largest)",
                remedy: "check the amount: it is in thousandths of the currency's unit")
            return nil
        }
        guard type == .custom, let currency else { return amount }
        guard let step = currency.step else {
            report(
                .unknownCurrencyDecimals, "request.currency",
                "Apple doesn't say how many decimals \(currency.code) has",
                remedy: "a human must decide: ask Apple, or refund this item with FULL")
            return nil
        }
        guard amount.isMultiple(of: step) else {
            let decimals = step == 1000 ? "no decimals" : "2 decimals"
            report(
                .amountTooPrecise, path(), "\(amount) milliunits, but \(currency.code) has \(decimals)",
                remedy: "give a multiple of \(step)")
            return nil
        }
        return amount
    }

    // MARK: Fields as such

    private mutating func refuseUnknown(_ object: JSONObject, _ known: [String], _ place: Place) {
        for member in object.members where !known.contains(member.key) {
            let near = Spelling.nearest(to: member.key, among: known)
            report(
                .unknownField, place.path(member.key), "unknown field",
                remedy: near.map { "did you mean \($0)?" } ?? "leave it out; known are \(known.joined(separator: ", "))"
            )
        }
    }

    private mutating func readPresent(
        _ object: JSONObject, _ key: String, _ place: Place, isRequired: Bool
    ) -> JSON? {
        if let value = object[key] { return value }
        if isRequired { report(.missingField, place.path(key), "missing", remedy: "add \(key)") }
        return nil
    }

    private mutating func readString(
        _ object: JSONObject, _ key: String, _ place: Place, isRequired: Bool
    ) -> String? {
        guard let value = readPresent(object, key, place, isRequired: isRequired) else { return nil }
        guard case .string(let text) = value else {
            reportType(value, key, place, expected: "a string")
            return nil
        }
        guard !text.utf8.contains(0) else {
            report(.nulCharacter, place.path(key), "contains a NUL character", remedy: "remove U+0000")
            return nil
        }
        return text
    }

    private mutating func readBool(
        _ object: JSONObject, _ key: String, _ place: Place, isRequired: Bool = false
    ) -> Bool? {
        guard let value = readPresent(object, key, place, isRequired: isRequired) else { return nil }
        guard case .bool(let bool) = value else {
            reportType(value, key, place, expected: "true or false")
            return nil
        }
        return bool
    }

    private mutating func readObject(_ object: JSONObject, _ key: String, _ place: Place) -> JSONObject? {
        guard let value = readPresent(object, key, place, isRequired: true) else { return nil }
        guard case .object(let fields) = value else {
            reportType(value, key, place, expected: "an object")
            return nil
        }
        return fields
    }

    private mutating func readEnum<Value: RawRepresentable<String> & CaseIterable>(
        _ object: JSONObject, _ key: String, _ place: Place, code: Violation.Code, isRequired: Bool
    ) -> Value? {
        guard let text = readString(object, key, place, isRequired: isRequired) else { return nil }
        if let value = Value(rawValue: text) { return value }
        let known = Value.allCases.map(\.rawValue)
        let near = Spelling.nearest(to: text, among: known)
        report(
            code, place.path(key), "\(JSONPath.quoted(text)) is not known here",
            remedy: near.map { "did you mean \($0)?" } ?? "use one of \(known.joined(separator: ", "))")
        return nil
    }

    private mutating func reportType(_ value: JSON, _ key: String, _ place: Place, expected: String) {
        let remedy = value == .null ? "leave \(key) out, or give \(expected)" : "give \(expected)"
        report(.wrongType, place.path(key), "\(value.kind), not \(expected)", remedy: remedy)
    }

    private func shown(_ number: JSONNumber) -> String {
        number.lexeme.utf8.count <= 40 ? number.lexeme : number.lexeme.prefix(40) + "…"
    }
}
