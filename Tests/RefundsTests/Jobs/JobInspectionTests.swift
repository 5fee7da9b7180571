import Refunds
import Testing

/// Each rule of the contract's section 1 and the fact sheet's section 3, broken by one change to a good job.
@Suite struct JobInspectionTests {
    struct Break: Sendable, CustomTestStringConvertible {
        let old: String
        let new: String
        let code: Violation.Code
        let path: String

        init(_ old: String, _ new: String, _ code: Violation.Code, _ path: String) {
            self.old = old
            self.new = new
            self.code = code
            self.path = path
        }

        var testDescription: String { "\(old) → \(new): \(code) at \(path)" }
    }

    /// The contract's example on one line.
    static let good =
        #"{"id":"case-4711","app":"audiobooks","operation":"refund","transactionId":"2000000123456789","#
        + #""request":{"items":[{"SKU":"audiobook.4711","refundReason":"FULFILLMENT_ISSUE","refundType":"CUSTOM","#
        + #""refundAmount":4990,"revoke":true}],"refundRiskingPreference":false,"currency":"EUR","storefront":"DEU"},"#
        + #""amountIncludesTax":true,"endsWholeSubscription":false,"requestedBy":"agent-17","note":"silent"}"#

    static let breaks: [Break] = [
        // The envelope.
        Break(#""case-4711""#, #""""#, .malformedId, "id"),
        Break(#""case-4711""#, #""case 4711""#, .malformedId, "id"),
        Break(#""case-4711""#, #""cäse""#, .malformedId, "id"),
        Break(#""case-4711""#, "\"" + String(repeating: "x", count: 129) + "\"", .malformedId, "id"),
        Break(#""case-4711""#, "4711", .wrongType, "id"),
        Break(#""case-4711""#, "null", .wrongType, "id"),
        Break(#""app":"audiobooks","#, "", .missingField, "app"),
        Break(#""app":"audiobooks""#, #""app":"other""#, .appMismatch, "app"),
        Break(#""app":"audiobooks""#, #""app":"{a}""#, .malformedApp, "app"),
        Break(#""operation":"refund","#, "", .missingField, "operation"),
        Break(#""operation":"refund""#, #""operation":"Refund""#, .unknownOperation, "operation"),
        Break(#""transactionId":"2000000123456789","#, "", .missingField, "transactionId"),
        Break(#""2000000123456789""#, "2000000123456789", .wrongType, "transactionId"),
        Break(#""2000000123456789""#, #""a/b""#, .malformedTransactionId, "transactionId"),
        Break(#""2000000123456789""#, #""""#, .malformedTransactionId, "transactionId"),
        Break(
            #""2000000123456789""#, "\"" + String(repeating: "1", count: 65) + "\"", .malformedTransactionId,
            "transactionId"),
        Break(
            #""note""#, #""originalTransactionId":"a b","note""#, .malformedOriginalTransactionId,
            "originalTransactionId"),
        Break(#""note""#, #""allowRepeat":"yes","note""#, .wrongType, "allowRepeat"),
        Break(#""note""#, #""priority":"high","note""#, .unknownPriority, "priority"),
        Break(#""note""#, #""notBefore":"tomorrow","note""#, .wrongType, "notBefore"),
        Break(#""note""#, #""notBefore":1796036400,"note""#, .malformedNotBefore, "notBefore"),
        Break(#""note""#, #""notBefore":1796036400000.0,"note""#, .malformedNotBefore, "notBefore"),
        Break(#""note""#, #""notBefore":-1,"note""#, .malformedNotBefore, "notBefore"),
        Break(#""silent""#, "\"" + String(repeating: "ü", count: 1025) + "\"", .textTooLong, "note"),
        Break(#""agent-17""#, "\"" + String(repeating: "x", count: 257) + "\"", .textTooLong, "requestedBy"),
        Break(#""silent""#, #""si\u0000lent""#, .nulCharacter, "note"),
        Break(#""note""#, #""nots""#, .unknownField, "nots"),
        Break(#""amountIncludesTax":true,"#, "", .missingField, "amountIncludesTax"),
        Break(#""amountIncludesTax":true"#, #""amountIncludesTax":false"#, .taxMismatch, "amountIncludesTax"),
        Break(#""amountIncludesTax":true"#, #""amountIncludesTax":1"#, .wrongType, "amountIncludesTax"),
        Break(#""DEU""#, #""USA""#, .taxMismatch, "amountIncludesTax"),
        Break(#""DEU""#, #""CAN""#, .taxMismatch, "amountIncludesTax"),
        // The request.
        Break(#""request""#, #""reqest""#, .missingField, "request"),
        Break(#""refundRiskingPreference":false,"#, "", .missingField, "request.refundRiskingPreference"),
        Break(
            #""refundRiskingPreference":false"#, #""refundRiskingPreference":true"#, .riskingPreferenceNotAllowed,
            "request.refundRiskingPreference"),
        Break(
            #""refundRiskingPreference":false"#, #""refundRiskingPreference":"false""#, .wrongType,
            "request.refundRiskingPreference"),
        Break(#""currency":"EUR","#, "", .missingField, "request.currency"),
        Break(#","storefront":"DEU""#, "", .missingField, "request.storefront"),
        Break(#""EUR""#, #""eur""#, .malformedCurrency, "request.currency"),
        Break(#""EUR""#, #""XAU""#, .unknownCurrencyDecimals, "request.currency"),
        Break(#""DEU""#, #""DE""#, .malformedStorefront, "request.storefront"),
        Break(#""currency""#, #""refundReason":"LEGAL","currency""#, .unknownField, "request.refundReason"),
        Break(#""currency""#, #""requestInfo":[],"currency""#, .wrongType, "request.requestInfo"),
        Break(
            #""currency""#, #""requestInfo":{"requestReferenceId":"4711"},"currency""#, .malformedReferenceId,
            "request.requestInfo.requestReferenceId"),
        Break(
            #""currency""#, #""requestInfo":{"appAccountToken":"geheim"},"currency""#, .malformedAppAccountToken,
            "request.requestInfo.appAccountToken"),
        Break(
            #""currency""#, #""requestInfo":{"consistencyToken":""},"currency""#, .malformedConsistencyToken,
            "request.requestInfo.consistencyToken"),
        Break(
            #""currency""#, #""requestInfo":{"requestReferenceID":"x"},"currency""#, .unknownField,
            "request.requestInfo.requestReferenceID"),
        // Items.
        Break(#""items":[{"#, #""items":[],"x":[{"#, .noItems, "request.items"),
        Break(#""items":[{"#, #""items":[1,{"#, .wrongType, "request.items[0]"),
        Break(#""items""#, #""itens""#, .missingField, "request.items"),
        Break(#""SKU""#, #""sku""#, .missingField, "request.items[0].SKU"),
        Break(#""audiobook.4711""#, #""""#, .malformedSKU, "request.items[0].SKU"),
        Break(#""audiobook.4711""#, #""a\nb""#, .controlCharacter, "request.items[0].SKU"),
        Break(#""audiobook.4711""#, #""a\u0000b""#, .nulCharacter, "request.items[0].SKU"),
        Break(
            #""audiobook.4711""#, "\"" + String(repeating: "x", count: 129) + "\"", .malformedSKU,
            "request.items[0].SKU"),
        Break(
            #""revoke":true}"#,
            #""revoke":true},{"SKU":"audiobook.4711","refundReason":"OTHER","refundType":"FULL","revoke":true}"#,
            .duplicateSKU, "request.items[1].SKU"),
        Break(#""FULFILLMENT_ISSUE""#, #""FULFILMENT_ISSUE""#, .unknownRefundReason, "request.items[0].refundReason"),
        Break(
            #""FULFILLMENT_ISSUE""#, #""SIMULATE_REFUND_DECLINE""#, .simulatedDeclineOnlyInSandbox,
            "request.items[0].refundReason"),
        Break(#""CUSTOM""#, #""custom""#, .unknownRefundType, "request.items[0].refundType"),
        Break(#""CUSTOM""#, #""FULL""#, .amountWithoutCustom, "request.items[0].refundAmount"),
        Break(#""CUSTOM""#, #""PRORATED""#, .amountWithoutCustom, "request.items[0].refundAmount"),
        Break(#","revoke":true"#, "", .missingField, "request.items[0].revoke"),
        Break(#""revoke":true"#, #""revoke":"true""#, .wrongType, "request.items[0].revoke"),
        // Amounts.
        Break(#""refundAmount":4990,"#, "", .amountMissing, "request.items[0].refundAmount"),
        Break("4990", "4990.0", .amountNotInteger, "request.items[0].refundAmount"),
        Break("4990", "1e3", .amountNotInteger, "request.items[0].refundAmount"),
        Break("4990", #""4990""#, .wrongType, "request.items[0].refundAmount"),
        Break("4990", "0", .amountNotPositive, "request.items[0].refundAmount"),
        Break("4990", "-0", .amountNotPositive, "request.items[0].refundAmount"),
        Break("4990", "-10", .amountNotPositive, "request.items[0].refundAmount"),
        Break("4990", "-99999999999999999999", .amountNotPositive, "request.items[0].refundAmount"),
        Break("4990", "4995", .amountTooPrecise, "request.items[0].refundAmount"),
        Break("4990", "9007199254740992", .amountTooLarge, "request.items[0].refundAmount"),
        Break("4990", "99999999999999999999", .amountTooLarge, "request.items[0].refundAmount"),
        Break(#""EUR""#, #""JPY""#, .amountTooPrecise, "request.items[0].refundAmount"),
        Break(#""refundAmount":4990"#, #""refundAmout":4990"#, .amountMissing, "request.items[0].refundAmount"),
        // The text.
        Break(#""app":"#, #""app":"audiobooks","app":"#, .duplicateKey, "app"),
        Break(#""silent"}"#, #""silent""#, .notJSON, ""),
    ]

    @Test func `the job that the breaks start from is good`() throws {
        #expect(try Example.job(Self.good).request.items.first?.refundAmount == 4990)
    }

    @Test(arguments: breaks)
    func `each broken rule is named with its path`(_ change: Break) throws {
        try #require(Self.good.contains(change.old))
        let text = Self.good.replacing(change.old, with: change.new)
        let violations = Example.violations(text)
        #expect(violations.contains { $0.code == change.code && $0.path == change.path }, "got \(violations)")
        #expect(violations.allSatisfy { !$0.message.isEmpty && !$0.remedy.isEmpty })
    }

    @Test func `all violations are listed, not the first`() {
        let text = """
            {"id":"a b","app":"audiobooks","operation":"refund","transactionId":7,"nte":"x",
             "request":{"items":[{"SKU":"","refundReason":"BAD","refundType":"FULL","refundAmount":0}],"storefront":"de"}}
            """
        let codes = Set(Example.violations(text).map(\.code))
        #expect(
            codes == [
                .malformedId, .wrongType, .unknownField, .malformedSKU, .unknownRefundReason, .amountWithoutCustom,
                .amountNotPositive, .missingField, .malformedStorefront,
            ])
    }

    @Test(arguments: [
        (#""refundAmount":4990"#, #""refundAmout":4990"#, "did you mean refundAmount?"),
        (#""SKU""#, #""sku""#, "did you mean SKU?"),
        (#""transactionId""#, #""transaction_id""#, "did you mean transactionId?"),
        (#""FULFILLMENT_ISSUE""#, #""FULFILMENT_ISSUE""#, "did you mean FULFILLMENT_ISSUE?"),
        (#""operation":"refund""#, #""operation":"refnud""#, "did you mean refund?"),
    ])
    func `a near miss is told what was probably meant`(_ old: String, _ new: String, _ remedy: String) {
        #expect(Example.violations(Self.good.replacing(old, with: new)).contains { $0.remedy == remedy })
    }

    @Test func `a revoke must say that the whole subscription ends`() {
        let silent = Example.revoke.replacing(#","endsWholeSubscription":true"#, with: "")
        #expect(Example.violations(silent).map(\.code) == [.endsWholeSubscriptionNotStated])
        let denied = Example.revoke.replacing(#""endsWholeSubscription":true"#, with: #""endsWholeSubscription":false"#)
        #expect(Example.violations(denied).map(\.code) == [.endsWholeSubscriptionNotStated])
    }

    @Test(arguments: [
        (#""FULL""#, #""CUSTOM""#, Violation.Code.customOnlyOnRefund, "request.refundType"),
        (#""LEGAL""#, #""MODIFY_ITEMS_REFUND""#, .modifyItemsOnlyOnRefund, "request.refundReason"),
        (#""LEGAL""#, #""SIMULATE_REFUND_DECLINE""#, .simulatedDeclineOnlyInSandbox, "request.refundReason"),
        (#""storefront""#, #""items":[],"storefront""#, .unknownField, "request.items"),
        (#""storefront""#, #""currency":"USD","storefront""#, .unknownField, "request.currency"),
        (#""storefront""#, #""refundAmount":10,"storefront""#, .unknownField, "request.refundAmount"),
    ])
    func `a revoke takes only its own fields and values`(
        _ old: String, _ new: String, _ code: Violation.Code, _ path: String
    ) {
        let violations = Example.violations(Example.revoke.replacing(old, with: new))
        #expect(violations.map(\.code) == [code])
        #expect(violations.map(\.path) == [path])
    }

    @Test func `a cancel takes nothing but storefront and requestInfo`() throws {
        _ = try Example.job(Example.cancel)
        _ = try Example.job(Example.cancel.replacing(#""storefront":"USA""#, with: ""))
        for field in [#""refundReason":"LEGAL""#, #""refundType":"FULL""#, #""refundRiskingPreference":false"#] {
            let text = Example.cancel.replacing(#""storefront":"USA""#, with: field)
            #expect(Example.violations(text).map(\.code) == [.unknownField])
        }
    }

    @Test func `a simulated decline is for the sandbox, and for all items or none`() throws {
        let all = Self.good.replacing("FULFILLMENT_ISSUE", with: "SIMULATE_REFUND_DECLINE")
        _ = try Example.job(all, Example.sandbox)
        let some = all.replacing(
            #""revoke":true}"#,
            with: #""revoke":true},{"SKU":"b","refundReason":"OTHER","refundType":"FULL","revoke":true}"#)
        #expect(Example.violations(some, Example.sandbox).map(\.code) == [.simulatedDeclineOnSomeItems])
    }

    @Test(arguments: [
        ("JPY", "JPN", 359_000, true), ("KRW", "KOR", 3_300_000, true), ("USD", "USA", 4_990, false),
        ("CAD", "CAN", 10, false), ("VND", "VNM", 3_000_000_000_000, true), ("EUR", "IRL", 9_007_199_254_740_990, true),
    ])
    func `amounts in the currency's own steps are taken`(
        _ currency: String, _ storefront: String, _ amount: Int64, _ includesTax: Bool
    ) throws {
        let text = Self.good.replacing("EUR", with: currency).replacing("DEU", with: storefront)
            .replacing("4990", with: "\(amount)")
            .replacing(#""amountIncludesTax":true"#, with: "\"amountIncludesTax\":\(includesTax)")
        let job = try Example.job(text)
        #expect(job.request.items.first?.refundAmount == amount)
        #expect(job.hasAmountBeyondInt32 == (amount > 2_147_483_647))
    }

    @Test func `a currency of no list is no hindrance where no amount is named`() throws {
        let text = Self.good.replacing("EUR", with: "XAU").replacing("CUSTOM", with: "FULL")
            .replacing(#""refundAmount":4990,"#, with: "")
        #expect(try Example.job(text).request.currency == "XAU")
    }

    @Test func `limits are taken to their last character`() throws {
        let text = Self.good.replacing("case-4711", with: String(repeating: "x", count: 128))
            .replacing("2000000123456789", with: String(repeating: "1", count: 64))
            .replacing("audiobook.4711", with: String(repeating: "s", count: 128))
            .replacing("agent-17", with: String(repeating: "é", count: 256))
            .replacing("silent", with: String(repeating: "🙂", count: 1024))
        _ = try Example.job(text)
    }

    @Test func `64 KiB are taken and a byte more is refused`() throws {
        let padding = String(repeating: " ", count: Job.sizeLimit - Self.good.utf8.count)
        _ = try Example.job(Self.good + padding)
        #expect(Example.violations(Self.good + padding + " ").map(\.code) == [.jobTooLarge])
    }

    @Test func `on a stream the name says app and priority, and the job may repeat them`() throws {
        let bare = Self.good.replacing(#""app":"audiobooks","#, with: "")
        let job = try Job.validate(Array(bare.utf8), app: Example.production, from: .lane(.bulk)).get()
        #expect(job.app == "audiobooks")
        #expect(job.priority == .bulk)
        let same = Self.good.replacing(#""note""#, with: #""priority":"bulk","note""#)
        #expect(throws: Never.self) {
            try Job.validate(Array(same.utf8), app: Example.production, from: .lane(.bulk)).get()
        }
        let result = Job.validate(Array(same.utf8), app: Example.production, from: .lane(.urgent))
        #expect(result.violations.map(\.code) == [.laneMismatch])
    }

    @Test func `a line finds its app by name, and an unknown one is refused beside all else`() throws {
        let apps = ["audiobooks": Example.production]
        #expect(try Job.validate(Array(Self.good.utf8), apps: apps).get().app == "audiobooks")
        let unknown = Self.good.replacing(#""audiobooks""#, with: #""video""#).replacing("4990", with: "0")
        #expect(
            Job.validate(Array(unknown.utf8), apps: apps).violations.map(\.code) == [.unknownApp, .amountNotPositive])
    }

    @Test func `the secrets of a job are in no violation and no description`() throws {
        let secret = "9b2b7c0c-7a10-4d77-9f3e-2c1d5a7b8e11"
        for field in ["appAccountToken", "consistencyToken", "appAccountTokn", "requestReferenceId"] {
            for value in ["\"\(secret)\"", "\"x\(secret)\"", "[\"\(secret)\"]", "\"\(secret)\\u0000\""] {
                let text = Self.good.replacing(
                    #""currency""#, with: "\"requestInfo\":{\"\(field)\":\(value)},\"currency\"")
                switch Job.validate(Array(text.utf8), app: Example.production) {
                case .failure(let violations):
                    #expect(!"\(violations)\(violations.json.text)".contains(secret))
                case .success(let job):
                    var dumped = ""
                    dump(job, to: &dumped)
                    #expect(!"\(job) \(String(reflecting: job)) \(dumped)".contains(secret))
                    #expect(!job.redactedJSON.text.contains(secret) || field == "requestReferenceId")
                }
            }
        }
    }

    @Test func `no change of one byte makes the reader crash, and what it still takes is a whole job`() throws {
        let bytes = Array(Self.good.utf8)
        var random = SplitMix(seed: 7)
        for index in bytes.indices {
            var changed = bytes
            changed[index] = UInt8.random(in: 0...255, using: &random)
            guard case .success(let job) = Job.validate(changed, app: Example.production) else { continue }
            #expect(try Job(job.particulars, envelope: job.envelope, body: job.bodyLessReference) == job)
        }
    }
}
