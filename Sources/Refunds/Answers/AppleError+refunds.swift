extension AppleError {
    /// Codes that matter for the three endpoints, or were seen beside them (fact sheet, 6.1).
    static let refundErrors: [AppleError] = [
        AppleError(
            4000006, "InvalidTransactionIdError", .buryAsOurMistake, "the transactionId is not valid",
            hint: ourMistake),
        AppleError(
            4000028, "InvalidStorefrontError", .buryAsOurMistake, "the storefront's value is not valid",
            hint: ourMistake),
        AppleError(
            4000033, "InvalidAppAccountTokenError", .buryAsOurMistake,
            "the appAccountToken is neither a UUID nor empty", hint: ourMistake),
        AppleError(4000053, "InvalidCurrencyError", .buryAsOurMistake, "the currency is not valid", hint: ourMistake),
        AppleError(4000079, "NullRequestInfoError", .buryAsOurMistake, "requestInfo is missing", hint: ourMistake),
        AppleError(
            4000080, "NullRequestReferenceIDError", .buryAsOurMistake, "requestReferenceId is missing",
            hint: ourMistake),
        AppleError(
            4000081, "InvalidRequestReferenceIDError", .buryAsOurMistake, "requestReferenceId is not valid",
            hint: ourMistake),
        AppleError(
            4000082, "InvalidConsistencyTokenError", .retryNewWithoutConsistencyToken,
            "the consistencyToken is stale or was never Apple's",
            hint: "leave consistencyToken out: redrive with --set request.requestInfo.consistencyToken=null"),
        AppleError(
            4000085, "NullTransactionIdError", .buryAsOurMistake, "the transactionId is missing",
            hint: ourMistake),
        AppleError(
            4000087, "SKULengthExceededError", .buryAsOurMistake, "a SKU is longer than 128 characters",
            hint: ourMistake),
        AppleError(
            4000097, "RepeatedRequestReferenceIdError", .buryAsRepeated, "the requestReferenceId was used before",
            hint: "look the transaction up at Apple before anything else; then state what you found"),
        AppleError(4000101, "NullItemsError", .buryAsOurMistake, "items are missing", hint: ourMistake),
        AppleError(4000102, "NullItemError", .buryAsOurMistake, "an item is missing", hint: ourMistake),
        AppleError(4000105, "NullSKUError", .buryAsOurMistake, "a SKU is missing", hint: ourMistake),
        AppleError(
            4000122, "InvalidSKUError", .bury(alert: false), "a SKU is not valid",
            hint: "compare the SKU with advancedCommerceInfo.items of the transaction, then redrive with --set"),
        AppleError(
            4000123, "InvalidRefundTypeError", .buryAsOurMistake, "this refundType is not allowed",
            hint: ourMistake),
        AppleError(
            4000124, "InvalidRefundReasonError", .buryAsOurMistake, "this refundReason is not allowed",
            hint: ourMistake),
        AppleError(
            4000132, "InvalidAmountError", .bury(alert: false), "the amount is not valid",
            hint: "compare it with what the customer paid, in milliunits, then redrive with --set"),
        AppleError(
            4000133, "MismatchedStorefrontError", .bury(alert: false), "the storefront differs from the transaction's",
            hint: "copy the storefront from the transaction, check currency and tax with it, then redrive with --set"),
        AppleError(
            4000135, "OperationNotAllowedError", .bury(alert: false),
            "the operation is not allowed; Apple says no more",
            hint: "check the transaction's type, and that the newest Addendum is accepted in App Store Connect",
            isAgreementSuspect: true),
        AppleError(
            4000136, "MoreItemsThanAllowedError", .bury(alert: false), "too many items",
            hint: "split the items over several jobs"),
        AppleError(
            4000153, "NullRefundAmountError", .buryAsOurMistake, "refundAmount is missing or not valid",
            hint: ourMistake),
        AppleError(
            4000154, "NegativeRefundAmountError", .buryAsOurMistake, "refundAmount is not positive",
            hint: ourMistake),
        AppleError(
            4000155, "RefundAmountWithoutCustomError", .buryAsOurMistake,
            "there is a refundAmount, though the type is not CUSTOM", hint: ourMistake),
        AppleError(4000156, "NullRefundReasonError", .buryAsOurMistake, "refundReason is missing", hint: ourMistake),
        AppleError(4000157, "NullRefundTypeError", .buryAsOurMistake, "refundType is missing", hint: ourMistake),
        AppleError(
            4000158, "SimulateRefundDeclineOnlyInSandboxError", .buryAsOurMistake,
            "the test reason is for the sandbox only", hint: ourMistake),
        AppleError(
            4000159, "NullRefundRiskingError", .buryAsOurMistake, "refundRiskingPreference is missing",
            hint: ourMistake),
        AppleError(4000160, "AtLeastOneItemError", .buryAsOurMistake, "items are there, but empty", hint: ourMistake),
        AppleError(
            4000168, "RemovalAllNotAllowedError", .bury(alert: false),
            "an active subscription must keep at least one item",
            hint: "to end the whole subscription, enqueue a revoke; else set revoke to false on an item"),
        AppleError(
            4000173, "MalformedPayloadError", .bury(alert: true), "Apple could not read the body",
            hint: "report this: the job passed our checks and Apple still refused it"),
        AppleError(
            4000181, "PendingRefundError", .hold,
            "a refund of this transaction is open already: the customer's own request, or an earlier one of ours",
            hint: "wait for the outcome of the open refund"),
        AppleError(
            4000182, "ProratedOnlyLatestTransactionError", .bury(alert: false),
            "PRORATED works on a subscription's latest transaction only",
            hint: "redrive with FULL or CUSTOM, or enqueue it for the latest transaction"),
        AppleError(
            4000184, "PartialSimulateRefundDeclineError", .buryAsOurMistake,
            "the test reason stands on some items only", hint: ourMistake),
        AppleError(
            4000186, "RevokeOnInactiveSubscriptionError", .bury(alert: false), "the subscription is not active",
            hint: "a refund of the transaction's items may fit"),
        AppleError(
            4000194, "ItemCannotBeSpecifiedMultipleTimesError", .buryAsOurMistake, "a SKU comes twice",
            hint: ourMistake),
        AppleError(
            4010000, "UnauthorizedError", .refreshToken, "the token is not valid",
            hint: "check issuerId, keyId and privateKey of the app, and that the key wasn't revoked",
            isAgreementSuspect: true),
        AppleError(
            4030008, "SubscriptionDoesNotExistError", .bury(alert: false), "there is no such subscription",
            hint: "check transactionId and environment"),
        AppleError(
            4030010, "SubscriptionNotEligibleError", .bury(alert: false), "the subscription is not eligible for this",
            hint: "look the subscription up; check that the newest Addendum is accepted in App Store Connect",
            isAgreementSuspect: true),
        AppleError(
            4030013, "ProductNotOwnedError", .bury(alert: false), "the customer does not own the product",
            hint: "check transactionId; it may have been refunded or transferred"),
        AppleError(
            4030015, "InactiveACASubError", .bury(alert: false), "the subscription is not active",
            hint: "a refund of the transaction's items may fit"),
        AppleError(
            4030020, "InsufficientFundsError", .bury(alert: true),
            "there are not enough funds for the refund; Apple doesn't say whose",
            hint: "check the balance in App Store Connect and ask Apple, then redrive"),
        AppleError(
            4030021, "AlreadyRefundedError", .reconcile, "the transaction is refunded already",
            hint: "look the transaction up at Apple; discard the job if the money went back"),
        AppleError(
            4030022, "StorefrontChangeError", .bury(alert: false), "the storefront has changed",
            hint: "look the customer's newest transaction up and enqueue it with that storefront"),
        AppleError(
            4030023, "ProductNotEligibleError", .bury(alert: false), "the product is not eligible",
            hint: "this refund is not possible here; the customer can ask Apple Support"),
        AppleError(
            4030024, "TransactionNotRefundableError", .bury(alert: false), "the transaction cannot be refunded",
            hint: "this refund is not possible; discard the job and tell the customer"),
        AppleError(
            4030025, "TransactionCannotBeRefundedContactSupportError", .bury(alert: false),
            "the transaction cannot be refunded here", hint: "tell the customer to contact Apple Support"),
        AppleError(
            4040010, "TransactionIdNotFoundError", .bury(alert: false),
            "Apple does not know the transaction in this environment and for this app",
            hint: "check transactionId, then environment and bundleId of the app"),
        AppleError(
            4040016, "ProductNotFoundError", .bury(alert: false), "there is no such product",
            hint: "check the SKUs and the transactionId"),
        AppleError(
            4290000, "RateLimitExceededError", .block, "the hourly limit is used up",
            hint: "wait; find out who else uses the quota, or whether Apple lowered it"),
        AppleError(
            5000000, "GeneralInternalError", .retrySame, "an internal error at Apple",
            hint: "wait: the same request is repeated"),
        AppleError(
            5000001, "GeneralInternalRetryableError", .retrySame, "an internal error at Apple, which says to try again",
            hint: "wait: the same request is repeated"),
    ]

    static let ourMistake = "report this: the job passed our checks and Apple still refused it"
}
