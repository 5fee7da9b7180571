/// Apple's error codes for the three endpoints, under Apple's names without the word "Error".
///
/// The first three digits are the HTTP status. Source: the error pages of Apple's Advanced Commerce API; those that
/// only third-party libraries know are marked. The messages are worded here: Apple says not to read them.
package enum ErrorCode: Int, Sendable, CaseIterable {
    case invalidTransactionId = 4_000_006
    case invalidStorefront = 4_000_028
    case invalidAppAccountToken = 4_000_033
    case invalidCurrency = 4_000_053
    case nullRequestInfo = 4_000_079
    case nullRequestReferenceID = 4_000_080
    case invalidRequestReferenceID = 4_000_081
    case invalidConsistencyToken = 4_000_082
    case nullTransactionId = 4_000_085
    case skuLengthExceeded = 4_000_087
    case repeatedRequestReferenceID = 4_000_097
    case nullItems = 4_000_101
    case nullItem = 4_000_102
    case nullSKU = 4_000_105
    case invalidSKU = 4_000_122
    case invalidRefundType = 4_000_123
    case invalidRefundReason = 4_000_124
    case invalidAmount = 4_000_132
    case mismatchedStorefront = 4_000_133
    case operationNotAllowed = 4_000_135
    case moreItemsThanAllowed = 4_000_136
    case nullRefundAmount = 4_000_153
    case negativeRefundAmount = 4_000_154
    case refundAmountWithoutCustom = 4_000_155
    case nullRefundReason = 4_000_156
    case nullRefundType = 4_000_157
    case simulateRefundDeclineOnlyInSandbox = 4_000_158
    case nullRefundRisking = 4_000_159
    case atLeastOneItem = 4_000_160
    case removalAllNotAllowed = 4_000_168
    case malformedPayload = 4_000_173
    case pendingRefund = 4_000_181
    case proratedOnlyLatestTransaction = 4_000_182
    case partialSimulateRefundDecline = 4_000_184
    case revokeOnInactiveSubscription = 4_000_186
    /// Added with price changes; the number is known from a third-party library.
    case itemCannotBeSpecifiedMultipleTimes = 4_000_194
    /// Name and number are known from a third-party library; Apple documents only the status.
    case unauthorized = 4_010_000
    case subscriptionDoesNotExist = 4_030_008
    case subscriptionNotEligible = 4_030_010
    case productNotOwned = 4_030_013
    case inactiveACASub = 4_030_015
    case insufficientFunds = 4_030_020
    case alreadyRefunded = 4_030_021
    case storefrontChange = 4_030_022
    case productNotEligible = 4_030_023
    case transactionNotRefundable = 4_030_024
    /// The number is known from a third-party library.
    case transactionCannotBeRefundedContactSupport = 4_030_025
    case transactionIdNotFound = 4_040_010
    case productNotFound = 4_040_016
    case rateLimitExceeded = 4_290_000
    case generalInternal = 5_000_000
    case generalInternalRetryable = 5_000_001

    var message: String {
        switch self {
        case .invalidTransactionId: "Invalid transaction id."
        case .invalidStorefront: "The storefront is invalid."
        case .invalidAppAccountToken: "Invalid request. The appAccountToken must be a UUID or an empty string."
        case .invalidCurrency: "The currency is invalid."
        case .nullRequestInfo: "The requestInfo is required."
        case .nullRequestReferenceID: "The requestReferenceId is required."
        case .invalidRequestReferenceID: "The requestReferenceId is invalid."
        case .invalidConsistencyToken: "The consistencyToken is invalid."
        case .nullTransactionId: "The transactionId is required."
        case .skuLengthExceeded: "The SKU is longer than 128 characters."
        case .repeatedRequestReferenceID: "The requestReferenceId has been used before."
        case .nullItems: "The items are required."
        case .nullItem: "An item is missing."
        case .nullSKU: "The SKU is required."
        case .invalidSKU: "The SKU is invalid."
        case .invalidRefundType: "The refundType is invalid."
        case .invalidRefundReason: "The refundReason is invalid."
        case .invalidAmount: "The amount is invalid."
        case .mismatchedStorefront: "The storefront doesn't match the transaction's."
        case .operationNotAllowed: "The operation is not allowed."
        case .moreItemsThanAllowed: "There are more items than allowed."
        case .nullRefundAmount: "The refundAmount is required and must be an integer."
        case .negativeRefundAmount: "The refundAmount must be positive."
        case .refundAmountWithoutCustom: "The refundAmount is only allowed with refundType CUSTOM."
        case .nullRefundReason: "The refundReason is required."
        case .nullRefundType: "The refundType is required."
        case .simulateRefundDeclineOnlyInSandbox: "SIMULATE_REFUND_DECLINE works in the sandbox only."
        case .nullRefundRisking: "The refundRiskingPreference is required."
        case .atLeastOneItem: "There must be at least one item."
        case .removalAllNotAllowed: "An active subscription must keep at least one item."
        case .malformedPayload: "The payload is malformed."
        case .pendingRefund: "The transaction has pending refunds."
        case .proratedOnlyLatestTransaction: "PRORATED works on the latest transaction only."
        case .partialSimulateRefundDecline: "SIMULATE_REFUND_DECLINE must be the reason of all items or of none."
        case .revokeOnInactiveSubscription: "The subscription is not active."
        case .itemCannotBeSpecifiedMultipleTimes: "An item can't be specified multiple times."
        case .unauthorized: "Unauthenticated."
        case .subscriptionDoesNotExist: "The subscription doesn't exist."
        case .subscriptionNotEligible: "The subscription is not eligible for this operation."
        case .productNotOwned: "The customer doesn't own the product."
        case .inactiveACASub: "The subscription is not active."
        case .insufficientFunds: "There are not enough funds for the refund."
        case .alreadyRefunded: "The transaction has already been refunded."
        case .storefrontChange: "The customer changed the storefront."
        case .productNotEligible: "The product is not eligible."
        case .transactionNotRefundable: "The transaction is not refundable."
        case .transactionCannotBeRefundedContactSupport:
            "The transaction can't be refunded here. The customer may contact Apple Support."
        case .transactionIdNotFound: "Transaction id not found."
        case .productNotFound: "Product not found."
        case .rateLimitExceeded: "Rate limit exceeded."
        case .generalInternal: "An unknown error occurred."
        case .generalInternalRetryable: "An unknown error occurred. Please try again."
        }
    }
}
