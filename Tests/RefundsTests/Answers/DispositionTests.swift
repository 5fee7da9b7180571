import Refunds
import Testing

/// The table of Apple's answers, row by row and each row twice: on a first send, and on a repeat of an open id.
@Suite struct DispositionTests {
    /// What the fact sheet's class comes to on the only send of an id.
    enum Class: Sendable {
        case ourMistake, dead, deadAndAlert, deadIdOpen, hold, reconcile, newIdWithoutToken, freshToken, block, sameId
        case newId, pause
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let code: Int64
        let name: String
        let expected: Class

        init(_ code: Int64, _ name: String, _ expected: Class) {
            self.code = code
            self.name = name
            self.expected = expected
        }

        var testDescription: String { "\(code) \(name): \(expected)" }
    }

    /// Section 6.1.
    static let refunds = [
        Row(4000006, "InvalidTransactionIdError", .ourMistake),
        Row(4000028, "InvalidStorefrontError", .ourMistake),
        Row(4000033, "InvalidAppAccountTokenError", .ourMistake),
        Row(4000053, "InvalidCurrencyError", .ourMistake),
        Row(4000079, "NullRequestInfoError", .ourMistake),
        Row(4000080, "NullRequestReferenceIDError", .ourMistake),
        Row(4000081, "InvalidRequestReferenceIDError", .ourMistake),
        Row(4000082, "InvalidConsistencyTokenError", .newIdWithoutToken),
        Row(4000085, "NullTransactionIdError", .ourMistake),
        Row(4000087, "SKULengthExceededError", .ourMistake),
        Row(4000097, "RepeatedRequestReferenceIdError", .deadIdOpen),
        Row(4000101, "NullItemsError", .ourMistake),
        Row(4000102, "NullItemError", .ourMistake),
        Row(4000105, "NullSKUError", .ourMistake),
        Row(4000122, "InvalidSKUError", .dead),
        Row(4000123, "InvalidRefundTypeError", .ourMistake),
        Row(4000124, "InvalidRefundReasonError", .ourMistake),
        Row(4000132, "InvalidAmountError", .dead),
        Row(4000133, "MismatchedStorefrontError", .dead),
        Row(4000135, "OperationNotAllowedError", .dead),
        Row(4000136, "MoreItemsThanAllowedError", .dead),
        Row(4000153, "NullRefundAmountError", .ourMistake),
        Row(4000154, "NegativeRefundAmountError", .ourMistake),
        Row(4000155, "RefundAmountWithoutCustomError", .ourMistake),
        Row(4000156, "NullRefundReasonError", .ourMistake),
        Row(4000157, "NullRefundTypeError", .ourMistake),
        Row(4000158, "SimulateRefundDeclineOnlyInSandboxError", .ourMistake),
        Row(4000159, "NullRefundRiskingError", .ourMistake),
        Row(4000160, "AtLeastOneItemError", .ourMistake),
        Row(4000168, "RemovalAllNotAllowedError", .dead),
        Row(4000173, "MalformedPayloadError", .deadAndAlert),
        Row(4000181, "PendingRefundError", .hold),
        Row(4000182, "ProratedOnlyLatestTransactionError", .dead),
        Row(4000184, "PartialSimulateRefundDeclineError", .ourMistake),
        Row(4000186, "RevokeOnInactiveSubscriptionError", .dead),
        Row(4000194, "ItemCannotBeSpecifiedMultipleTimesError", .ourMistake),
        Row(4010000, "UnauthorizedError", .freshToken),
        Row(4030008, "SubscriptionDoesNotExistError", .dead),
        Row(4030010, "SubscriptionNotEligibleError", .dead),
        Row(4030013, "ProductNotOwnedError", .dead),
        Row(4030015, "InactiveACASubError", .dead),
        Row(4030020, "InsufficientFundsError", .deadAndAlert),
        Row(4030021, "AlreadyRefundedError", .reconcile),
        Row(4030022, "StorefrontChangeError", .dead),
        Row(4030023, "ProductNotEligibleError", .dead),
        Row(4030024, "TransactionNotRefundableError", .dead),
        Row(4030025, "TransactionCannotBeRefundedContactSupportError", .dead),
        Row(4040010, "TransactionIdNotFoundError", .dead),
        Row(4040016, "ProductNotFoundError", .dead),
        Row(4290000, "RateLimitExceededError", .block),
        Row(5000000, "GeneralInternalError", .sameId),
        Row(5000001, "GeneralInternalRetryableError", .sameId),
    ]

    /// Those of section 6.3 that would mean something on our endpoints.
    static let store = [
        Row(4_000_000, "GeneralBadRequestError", .deadAndAlert),
        Row(4_000_002, "InvalidAppIdentifierError", .pause),
        Row(4_000_008, "InvalidOriginalTransactionIdError", .ourMistake),
        Row(4_040_001, "AccountNotFoundError", .dead), Row(4_040_002, "AccountNotFoundRetryableError", .newId),
        Row(4_040_003, "AppNotFoundError", .pause), Row(4_040_004, "AppNotFoundRetryableError", .newId),
        Row(4_040_005, "OriginalTransactionIdNotFoundError", .dead),
        Row(4_040_006, "OriginalTransactionIdNotFoundRetryableError", .newId),
    ]

    /// Section 6.4.
    static let otherEndpoints = [
        Row(4000063, "OneItemNeededInModifyError", .deadAndAlert),
        Row(4000083, "NullVersionError", .deadAndAlert),
        Row(4000084, "UnexpectedVersionError", .deadAndAlert),
        Row(4000086, "NegativePriceError", .deadAndAlert),
        Row(4000088, "DescriptionLengthExceededError", .deadAndAlert),
        Row(4000089, "DisplayNameLengthExceededError", .deadAndAlert),
        Row(4000091, "NegativeProratedPriceError", .deadAndAlert),
        Row(4000092, "NullOfferPeriodError", .deadAndAlert),
        Row(4000093, "NullPeriodCountError", .deadAndAlert),
        Row(4000094, "PeriodCountNotPositiveError", .deadAndAlert),
        Row(4000095, "NullReasonError", .deadAndAlert),
        Row(4000096, "InvalidPreviousTransactionIDError", .deadAndAlert),
        Row(4000098, "NullCurrencyError", .deadAndAlert),
        Row(4000099, "NullTaxCodeError", .deadAndAlert),
        Row(4000100, "NullStorefrontError", .deadAndAlert),
        Row(4000103, "NullDescriptorsError", .deadAndAlert),
        Row(4000104, "NullPeriodError", .deadAndAlert),
        Row(4000106, "NullDisplayNameError", .deadAndAlert),
        Row(4000107, "NullDescriptionError", .deadAndAlert),
        Row(4000109, "NullPriceError", .deadAndAlert),
        Row(4000110, "NullRetainBillingCycleError", .deadAndAlert),
        Row(4000111, "NullEffectiveError", .deadAndAlert),
        Row(4000112, "NullNewSKUError", .deadAndAlert),
        Row(4000113, "InvalidPreviousSubscriptionError", .deadAndAlert),
        Row(4000114, "ProductAlreadyExistsError", .deadAndAlert),
        Row(4000115, "InvalidProductChangesError", .deadAndAlert),
        Row(4000116, "InvalidSalableError", .deadAndAlert),
        Row(4000117, "InvalidSalableDurationError", .deadAndAlert),
        Row(4000118, "InvalidDisplayNameError", .deadAndAlert),
        Row(4000119, "InvalidDescriptionError", .deadAndAlert),
        Row(4000121, "InvalidProductError", .deadAndAlert),
        Row(4000125, "InvalidChangeReasonError", .deadAndAlert),
        Row(4000126, "InvalidOfferReasonError", .deadAndAlert),
        Row(4000127, "InvalidTaxProductCodeError", .deadAndAlert),
        Row(4000128, "InvalidOfferPeriodError", .deadAndAlert),
        Row(4000129, "InvalidOfferPeriodCountError", .deadAndAlert),
        Row(4000130, "InvalidRenewalPeriodError", .deadAndAlert),
        Row(4000131, "InvalidRenewalPriceError", .deadAndAlert),
        Row(4000134, "MissingPricingConfigForStorefrontError", .deadAndAlert),
        Row(4000137, "MoreOffersThanAllowedError", .deadAndAlert),
        Row(4000139, "EmptyAddChangeItemsError", .deadAndAlert),
        Row(4000140, "MissingUpdatedItemsWithPeriodChangeError", .deadAndAlert),
        Row(4000141, "PeriodResetWithRetainBillingCycleError", .deadAndAlert),
        Row(4000142, "PeriodChangeEffectiveConflictError", .deadAndAlert),
        Row(4000143, "MultipleOperationsOnSingleSKUError", .deadAndAlert),
        Row(4000144, "RemoveItemsWithoutAddOrChangeItemsError", .deadAndAlert),
        Row(4000145, "RemoveItemNotFoundError", .deadAndAlert),
        Row(4000146, "ChangeItemNotFoundError", .deadAndAlert),
        Row(4000147, "MisalignedBillingCycleError", .deadAndAlert),
        Row(4000148, "BillingCycleResetWithEffectiveLaterError", .deadAndAlert),
        Row(4000149, "PeriodChangeImmediateWithEffectiveAtNextBillingCycleError", .deadAndAlert),
        Row(4000150, "MultiplePricesError", .deadAndAlert),
        Row(4000151, "InvalidProratedPriceError", .deadAndAlert),
        Row(4000152, "InvalidOfferPriceError", .deadAndAlert),
        Row(4000165, "AtLeastOneOfDisplayNameOrDescriptionError", .deadAndAlert),
        Row(4000166, "NullTargetProductIDError", .deadAndAlert),
        Row(4000167, "InvalidTargetProductIDError", .deadAndAlert),
        Row(4000169, "NullCurrentSKUError", .deadAndAlert),
        Row(4000170, "CurrentSKULengthExceededError", .deadAndAlert),
        Row(4000171, "NullAdvancedCommerceDataError", .deadAndAlert),
        Row(4000172, "InvalidOperationError", .deadAndAlert),
        Row(4000174, "InvalidSignatureError", .deadAndAlert),
        Row(4000176, "SubscriptionAlreadyMigratedError", .deadAndAlert),
        Row(4000177, "OfferPreventsItemMidCycleChangeError", .deadAndAlert),
        Row(4000178, "PriceChangeNotSupportedThroughModifyItemsError", .deadAndAlert),
        Row(4000179, "ItemLimitExceededError", .deadAndAlert),
        Row(4000180, "PendingChangesMismatchError", .deadAndAlert),
        Row(4000192, "DependentSKUsCannotBeSharedError", .deadAndAlert),
        Row(4000193, "DependentSKUsCannotBeChainedError", .deadAndAlert),
        Row(4000205, "PriceChangeCannotBeIssuedWhenAlreadyCommunicatedError", .deadAndAlert),
        Row(4000214, "InvalidPriceForChangeItemInPriceIncreaseError", .deadAndAlert),
        Row(4000220, "InvalidSKUProvidedMustBeCurrentSKUSetToRenewError", .deadAndAlert),
        Row(4000221, "ACAPriceIncreaseIsNotCurrentlySupportedInIndiaError", .deadAndAlert),
        Row(4000222, "InvalidProratedPriceForChangeItemWithEffectiveLaterError", .deadAndAlert),
        Row(4000223, "FreeTrialOfferMustUsePeriodCountOfOneError", .deadAndAlert),
        Row(4030009, "SubscriptionAlreadyExistsError", .deadAndAlert),
        Row(4030011, "SubscriptionAlreadyActiveError", .deadAndAlert),
        Row(4030027, "MigrationNotAllowedWhenPriceIncreaseCommunicatedError", .deadAndAlert),
    ]

    @Test(arguments: refunds + store + otherEndpoints)
    func `a coded answer to the only send of an id does what its class says`(_ row: Row) throws {
        let verdict = judge(row.code)
        #expect(verdict.error?.name == row.name)
        switch row.expected {
        case .ourMistake: expectBuried(verdict, .unexpected, alert: true)
        case .dead: expectBuried(verdict, .rejected, alert: false)
        case .deadAndAlert: expectBuried(verdict, nil, alert: true)
        case .deadIdOpen: expectBuried(verdict, .repeatedReferenceId, alert: true, leavesIdOpen: true)
        case .hold: #expect(verdict.disposition == .hold)
        case .reconcile: #expect(verdict.disposition == .reconcile(.alreadyRefunded))
        case .newIdWithoutToken: expectBuried(verdict, .rejected, alert: true)
        case .freshToken: #expect(verdict.disposition == .refreshToken(sameId: false))
        case .block: #expect(verdict.disposition == .block(forMs: 5000, sameId: false))
        case .sameId: #expect(verdict.disposition == .retrySame(afterMs: 1234))
        case .newId: #expect(verdict.disposition == .retryNew(afterMs: 1234))
        case .pause: #expect(verdict.disposition == .pauseApp(reason: .unknownApp, sameId: false))
        }
        #expect(verdict.leavesIdOpen == [.deadIdOpen, .sameId].contains(row.expected))
    }

    @Test(arguments: refunds + store + otherEndpoints)
    func `a coded answer to a repeat of an open id never leads to a new id or a grave`(_ row: Row) {
        let verdict = judge(row.code, idIsOpen: true)
        switch row.expected {
        case .freshToken: #expect(verdict.disposition == .refreshToken(sameId: true))
        case .block: #expect(verdict.disposition == .block(forMs: 5000, sameId: true))
        case .sameId: #expect(verdict.disposition == .retrySame(afterMs: 1234))
        case .deadIdOpen: #expect(verdict.disposition == .reconcile(.repeatedReferenceId))
        case .hold: #expect(verdict.disposition == .reconcile(.pendingRefund))
        case .reconcile: #expect(verdict.disposition == .reconcile(.alreadyRefunded))
        default: #expect(verdict.disposition == .reconcile(.refusedWhileOpen))
        }
        #expect(verdict.leavesIdOpen)
    }

    // MARK: Section 6.2, what is not on Apple's list

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let answer: Answer
        let first: Disposition
        let open: Disposition
        /// After a first send; a repeat of an open id leaves it open unless it is accepted.
        let leavesIdOpen: Bool

        init(_ name: String, _ answer: Answer, first: Disposition, open: Disposition, leavesIdOpen: Bool) {
            testDescription = name
            self.answer = answer
            self.first = first
            self.open = open
            self.leavesIdOpen = leavesIdOpen
        }
    }

    static let again = Disposition.retrySame(afterMs: 1234)
    static let astray = Disposition.pauseApp(reason: .redirected, sameId: true)
    static let unread = Disposition.reconcile(.unreadableSuccess)
    static let refused = Disposition.reconcile(.refusedWhileOpen)
    static let noCode =
        "Apple gave no code: look the transaction up and check the request; a redrive repeats it as it is"

    static let others = [
        Case("200 readable", answer(200, isReadable200: true), first: .accepted, open: .accepted, leavesIdOpen: false),
        Case("200 unreadable", answer(200), first: unread, open: unread, leavesIdOpen: true),
        Case("202", answer(202), first: unread, open: unread, leavesIdOpen: true),
        Case("204 called readable", answer(204, isReadable200: true), first: unread, open: unread, leavesIdOpen: true),
        Case("refused connection", .unsent("refused"), first: again, open: again, leavesIdOpen: false),
        Case("time-out", .unclear("timed out"), first: again, open: again, leavesIdOpen: true),
        Case("301", answer(301), first: astray, open: astray, leavesIdOpen: true),
        Case("307", answer(307), first: astray, open: astray, leavesIdOpen: true),
        Case("100", answer(100), first: astray, open: astray, leavesIdOpen: true),
        Case("600", answer(600), first: astray, open: astray, leavesIdOpen: true),
        Case("408", answer(408), first: again, open: again, leavesIdOpen: true),
        Case("500 plain", answer(500), first: again, open: again, leavesIdOpen: true),
        Case("500 with an unknown code", answer(500, 5_000_999), first: again, open: again, leavesIdOpen: true),
        Case("502", answer(502), first: again, open: again, leavesIdOpen: true),
        Case("503", answer(503), first: again, open: again, leavesIdOpen: true),
        Case("504", answer(504), first: again, open: again, leavesIdOpen: true),
        Case("599", answer(599), first: again, open: again, leavesIdOpen: true),
        Case(
            "400 plain", answer(400), first: .bury(reason: .rejected, hint: noCode), open: refused, leavesIdOpen: true),
        Case(
            "400 with the code of another status", answer(400, 4_030_024),
            first: .bury(reason: .rejected, hint: noCode), open: refused, leavesIdOpen: true),
        Case(
            "400 with an unknown code", answer(400, 4_000_999),
            first: .bury(
                reason: .rejected,
                hint: "Apple's list doesn't have code 4000999: look it up before you redrive or discard"),
            open: refused, leavesIdOpen: false),
        Case(
            "404 plain", answer(404), first: .bury(reason: .rejected, hint: noCode), open: refused, leavesIdOpen: true),
        Case(
            "413 plain", answer(413), first: .bury(reason: .rejected, hint: noCode), open: refused, leavesIdOpen: true),
        Case(
            "401 plain", answer(401), first: .refreshToken(sameId: true), open: .refreshToken(sameId: true),
            leavesIdOpen: true),
        Case(
            "403 plain", answer(403), first: .pauseApp(reason: .forbidden, sameId: true), open: refused,
            leavesIdOpen: true),
        Case(
            "403 with an unknown code", answer(403, 4_030_999), first: .pauseApp(reason: .forbidden, sameId: false),
            open: refused, leavesIdOpen: false),
        Case(
            "429 plain", answer(429), first: .block(forMs: 5000, sameId: true), open: .block(forMs: 5000, sameId: true),
            leavesIdOpen: true),
    ]

    @Test(arguments: others)
    func `an answer that Apple doesn't list is judged by its status`(_ row: Case) {
        let first = judge(row.answer)
        #expect(first.disposition == row.first)
        #expect(first.leavesIdOpen == row.leavesIdOpen)
        let open = judge(row.answer, idIsOpen: true)
        #expect(open.disposition == row.open)
        #expect(open.leavesIdOpen == (row.open != .accepted))
    }

    // MARK: Single rules

    @Test(arguments: [nil, 4_010_000] as [Int64?])
    func `a second 401 with a fresh token pauses the app`(_ code: Int64?) {
        let first = judge(Self.answer(401, code), freshTokenWasRefused: true)
        #expect(first.disposition == .pauseApp(reason: .unauthorized, sameId: code == nil))
        #expect(first.needsAlert)
        let open = judge(Self.answer(401, code), idIsOpen: true, freshTokenWasRefused: true)
        #expect(open.disposition == .pauseApp(reason: .unauthorized, sameId: true))
    }

    @Test func `a refused consistency token is dropped if there was one`() {
        let verdict = judge(Self.answer(400, 4_000_082), hasConsistencyToken: true)
        #expect(verdict.disposition == .retryNew(afterMs: 1234))
        #expect(verdict.dropsConsistencyToken)
        #expect(!verdict.leavesIdOpen)
    }

    @Test(arguments: [4_000_181, 4_030_021] as [Int64])
    func `a cancel has no refund to wait for`(_ code: Int64) {
        expectBuried(judge(Self.answer(Int(code / 10_000), code), operation: .cancel), .rejected, alert: true)
    }

    @Test func `a 429 without a sensible Retry-After blocks for a minute and alerts`() {
        let answer = Answer.response(status: 429, errorCode: 4_290_000, retryAfter: [], date: nil, isReadable200: false)
        let verdict = judge(answer)
        #expect(verdict.disposition == .block(forMs: 60_000, sameId: false))
        #expect(verdict.needsAlert)
        #expect(!verdict.countsAsAttempt)
    }

    @Test(
        arguments: [
            (401, nil, true), (401, 4_010_000, true), (403, nil, true), (403, 4_030_999, true), (400, 4_000_135, true),
            (403, 4_030_010, true), (403, 4_030_013, false), (400, 4_000_122, false), (404, 4_040_010, false),
            (500, 5_000_000, false),
        ] as [(Int, Int64?, Bool)])
    func `agreement suspects are marked, also on open ids`(_ status: Int, _ code: Int64?, _ isSuspect: Bool) {
        for idIsOpen in [false, true] {
            #expect(judge(Self.answer(status, code), idIsOpen: idIsOpen).isAgreementSuspect == isSuspect)
        }
    }

    // MARK: Properties over every status and code

    @Test func `on an open id nothing but a readable 200 ends or renames the request`() {
        for answer in Self.allAnswers {
            for operation in Operation.allCases {
                let verdict = judge(answer, operation: operation, idIsOpen: true, hasConsistencyToken: true)
                switch verdict.disposition {
                case .accepted: #expect(!verdict.leavesIdOpen)
                case .retrySame, .reconcile, .block(_, sameId: true), .refreshToken(sameId: true),
                    .pauseApp(_, sameId: true):
                    #expect(verdict.leavesIdOpen, "\(answer)")
                default: Issue.record("\(answer): \(verdict.disposition)")
                }
            }
        }
    }

    @Test func `a new id comes only after a definite answer to a first send`() {
        for answer in Self.allAnswers {
            let verdict = judge(answer, hasConsistencyToken: true)
            let makesNewId =
                switch verdict.disposition {
                case .retryNew, .block(_, sameId: false), .refreshToken(sameId: false), .pauseApp(_, sameId: false):
                    true
                default: false
                }
            guard makesNewId else { continue }
            #expect(!verdict.leavesIdOpen, "\(answer)")
            guard case .response(let status, let code?, _, _, _) = answer else {
                Issue.record("\(answer) has no code, yet a new id was made")
                continue
            }
            #expect((400..<500).contains(status) && code / 10_000 == Int64(status))
        }
    }

    @Test func `a success is never resent`() {
        for status in 200..<300 {
            for idIsOpen in [false, true] {
                for readable in [false, true] {
                    let verdict = judge(Self.answer(status, isReadable200: readable), idIsOpen: idIsOpen)
                    #expect(verdict.disposition == (status == 200 && readable ? .accepted : Self.unread))
                }
            }
        }
    }

    // MARK: Help

    private static var allAnswers: [Answer] {
        let codes = AppleError.catalogue.keys.sorted()
        let coded = codes.map { answer(Int($0 / 10_000), $0) }
        let crossed = [200, 301, 400, 403, 404, 429, 500].flatMap { status in codes.map { answer(status, $0) } }
        let plain = (100..<620).map { answer($0) } + [answer(200, isReadable200: true)]
        return coded + crossed + plain + [.unsent(""), .unclear("")]
    }

    private static let nowMs: Int64 = 1_796_036_400_000

    private static func answer(_ status: Int, _ code: Int64? = nil, isReadable200: Bool = false) -> Answer {
        .response(
            status: status, errorCode: code, retryAfter: ["\(nowMs + 5000)"], date: nil, isReadable200: isReadable200)
    }

    private func judge(_ code: Int64, idIsOpen: Bool = false) -> Verdict {
        judge(Self.answer(Int(code / 10_000), code), idIsOpen: idIsOpen)
    }

    private func judge(
        _ answer: Answer, operation: Operation = .refund, idIsOpen: Bool = false, freshTokenWasRefused: Bool = false,
        hasConsistencyToken: Bool = false
    ) -> Verdict {
        disposition(
            of: answer, operation: operation, idIsOpen: idIsOpen, freshTokenWasRefused: freshTokenWasRefused,
            hasConsistencyToken: hasConsistencyToken, delayMs: 1234, nowMs: Self.nowMs)
    }

    private func expectBuried(_ verdict: Verdict, _ reason: DeadReason?, alert: Bool, leavesIdOpen: Bool = false) {
        guard case .bury(let actual, let hint) = verdict.disposition else {
            Issue.record("not buried but \(verdict.disposition)")
            return
        }
        if let reason { #expect(actual == reason) }
        #expect(!hint.isEmpty)
        #expect(verdict.needsAlert == alert)
        #expect(verdict.leavesIdOpen == leavesIdOpen)
    }
}
