extension AppleError {
    /// App Store Server API errors (fact sheet, 6.3). Most can only come from look-ups and from consumption answers.
    static let storeErrors: [AppleError] = [
        AppleError(4000000, "GeneralBadRequestError", .bury(alert: true), "a malformed request", hint: ourMistake),
        AppleError(
            4000002, "InvalidAppIdentifierError", .pause(.unknownApp), "the app's identifier is not valid",
            hint: "check bundleId, environment and baseURL of the app"),
        AppleError(
            4000005, "InvalidRequestRevisionError", .bury(alert: true), "the revision of a paged look-up is not valid",
            hint: "the look-up starts again without it"),
        AppleError(
            4000008, "InvalidOriginalTransactionIdError", .buryAsOurMistake, "the originalTransactionId is not valid",
            hint: ourMistake),
        AppleError(
            4000012, "StartDateTooFarInPastError", .bury(alert: true),
            "the start lies too far in the past (notification history)", hint: "correct the dates of the look-up"),
        AppleError(
            4000013, "StartDateAfterEndDateError", .bury(alert: true),
            "the start lies after the end (notification history)", hint: "correct the dates of the look-up"),
        AppleError(
            4000015, "InvalidStartDateError", .bury(alert: true), "the start is not valid (notification history)",
            hint: "correct the dates of the look-up"),
        AppleError(
            4000016, "InvalidEndDateError", .bury(alert: true), "the end is not valid (notification history)",
            hint: "correct the dates of the look-up"),
        AppleError(
            4000014, "InvalidPaginationTokenError", .bury(alert: true), "the token of the next page is not valid",
            hint: "the look-up starts again at its first page"),
        AppleError(
            4000017, "PaginationTokenExpiredError", .bury(alert: true), "the token of the next page is too old",
            hint: "the look-up starts again at its first page"),
        AppleError(
            4000018, "InvalidNotificationTypeError", .bury(alert: true), "the type of notification is not valid",
            hint: "correct the look-up"),
        AppleError(
            4000019, "MultipleFiltersSuppliedError", .bury(alert: true),
            "a transaction and a type of notification exclude each other", hint: "correct the look-up"),
        AppleError(
            4000020, "InvalidTestNotificationTokenError", .bury(alert: true),
            "the token of the test notification is not valid", hint: "ask for a new test notification"),
        AppleError(
            4000032, "InvalidAccountTenureError", .bury(alert: true), "accountTenure is not valid (consumption)",
            hint: "correct what the usage hook answers"),
        AppleError(
            4000034, "InvalidConsumptionStatusError", .bury(alert: true),
            "consumptionStatus is not valid (consumption)", hint: "correct what the usage hook answers"),
        AppleError(
            4000035, "InvalidCustomerConsentedError", .bury(alert: true),
            "customerConsented is not valid (consumption)", hint: "correct what the usage hook answers"),
        AppleError(
            4000036, "InvalidDeliveryStatusError", .bury(alert: true), "deliveryStatus is not valid (consumption)",
            hint: "correct what the usage hook answers"),
        AppleError(
            4000037, "InvalidLifetimeDollarsPurchasedError", .bury(alert: true),
            "lifetimeDollarsPurchased is not valid (consumption)", hint: "correct what the usage hook answers"),
        AppleError(
            4000038, "InvalidLifetimeDollarsRefundedError", .bury(alert: true),
            "lifetimeDollarsRefunded is not valid (consumption)", hint: "correct what the usage hook answers"),
        AppleError(
            4000039, "InvalidPlatformError", .bury(alert: true), "platform is not valid (consumption)",
            hint: "correct what the usage hook answers"),
        AppleError(
            4000040, "InvalidPlayTimeError", .bury(alert: true), "playTime is not valid (consumption)",
            hint: "correct what the usage hook answers"),
        AppleError(
            4000041, "InvalidSampleContentProvidedError", .bury(alert: true),
            "sampleContentProvided is not valid (consumption)", hint: "correct what the usage hook answers"),
        AppleError(
            4000042, "InvalidUserStatusError", .bury(alert: true), "userStatus is not valid (consumption)",
            hint: "correct what the usage hook answers"),
        AppleError(
            4000044, "InvalidRefundPreferenceError", .bury(alert: true), "refundPreference is not valid (consumption)",
            hint: "correct what the usage hook answers"),
        AppleError(
            4000047, "InvalidTransactionTypeNotSupportedError", .bury(alert: true),
            "this type of transaction takes no consumption data", hint: "leave the request unanswered"),
        AppleError(
            4000048, "AppTransactionIdNotSupportedError", .bury(alert: true),
            "an appTransactionId stands where a transactionId belongs", hint: "use the transactionId"),
        AppleError(
            4000183, "InvalidAppAccountTokenUUIDError", .bury(alert: true), "the appAccountToken is no UUID",
            hint: "correct the appAccountToken"),
        AppleError(
            4000185, "FamilyTransactionNotSupportedError", .bury(alert: true),
            "a transaction of Family Sharing takes no consumption data", hint: "leave the request unanswered"),
        AppleError(
            4000187, "TransactionIdIsNotOriginalTransactionIdError", .bury(alert: true),
            "the transactionId is not an original one", hint: "use the originalTransactionId"),
        AppleError(
            4000209, "ConsumptionPercentageAutoRenewableSubscriptionError", .bury(alert: true),
            "a subscription takes no consumption percentage", hint: "correct what the usage hook answers"),
        AppleError(
            4040001, "AccountNotFoundError", .bury(alert: false), "Apple does not find the account",
            hint: "check transactionId and environment"),
        AppleError(
            4040002, "AccountNotFoundRetryableError", .retryNew,
            "Apple does not find the account, and says to try again", hint: "wait: it is tried again"),
        AppleError(
            4040003, "AppNotFoundError", .pause(.unknownApp), "Apple does not know the app",
            hint: "check bundleId, environment and baseURL of the app"),
        AppleError(
            4040004, "AppNotFoundRetryableError", .retryNew, "Apple does not find the app, and says to try again",
            hint: "wait: it is tried again"),
        AppleError(
            4040005, "OriginalTransactionIdNotFoundError", .bury(alert: false),
            "Apple does not know the originalTransactionId", hint: "check transactionId and environment"),
        AppleError(
            4040006, "OriginalTransactionIdNotFoundRetryableError", .retryNew,
            "Apple does not find the originalTransactionId, and says to try again", hint: "wait: it is tried again"),
        AppleError(
            4040007, "ServerNotificationURLNotFoundError", .bury(alert: true), "no URL for server notifications is set",
            hint: "set the URL in App Store Connect"),
        AppleError(
            4040008, "TestNotificationNotFoundError", .bury(alert: true),
            "the test notification is not there yet, or no longer", hint: "ask again a little later"),
        AppleError(
            4040019, "AppTransactionDoesNotExistError", .bury(alert: true), "there is no such app transaction",
            hint: "check transactionId and environment"),
    ]
}
