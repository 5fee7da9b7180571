/// Apple's body for one of the three endpoints, checked.
package enum Request: Sendable, Hashable {
    case refund(RefundRequest)
    case revoke(RevokeRequest)
    case cancel(CancelRequest)

    package var requestInfo: RequestInfo? {
        get {
            switch self {
            case .refund(let request): request.requestInfo
            case .revoke(let request): request.requestInfo
            case .cancel(let request): request.requestInfo
            }
        }
        set {
            switch self {
            case .refund(var request):
                request.requestInfo = newValue
                self = .refund(request)
            case .revoke(var request):
                request.requestInfo = newValue
                self = .revoke(request)
            case .cancel(var request):
                request.requestInfo = newValue
                self = .cancel(request)
            }
        }
    }

    /// Empty on revoke and cancel, which concern a whole subscription.
    package var items: [RefundItem] {
        if case .refund(let request) = self { request.items } else { [] }
    }

    package var storefront: String? {
        switch self {
        case .refund(let request): request.storefront
        case .revoke(let request): request.storefront
        case .cancel(let request): request.storefront
        }
    }

    package var currency: String? {
        if case .refund(let request) = self { request.currency } else { nil }
    }

    /// Members in the one order that we ever send: `requestInfo`, then as Apple's page lists them.
    ///
    /// With a `referenceId` this is the body for Apple; with nil it is the request as the producer gave it.
    func json(referenceId: String?) -> JSON {
        let info: JSON? =
            if let referenceId {
                (requestInfo ?? RequestInfo()).json(referenceId: referenceId)
            } else {
                requestInfo.map { $0.json(referenceId: $0.requestReferenceId) }
            }
        return switch self {
        case .refund(let request): request.json(info)
        case .revoke(let request): request.json(info)
        case .cancel(let request): request.json(info)
        }
    }
}

/// Request Transaction Refund (fact sheet, 3.1).
package struct RefundRequest: Sendable, Hashable {
    package var requestInfo: RequestInfo?
    package var items: [RefundItem]
    package var refundRiskingPreference: Bool
    package var currency: String?
    package var storefront: String?

    func json(_ info: JSON?) -> JSON {
        .object(
            JSONObject([
                "requestInfo": info,
                "items": .array(items.map(\.json)),
                "refundRiskingPreference": .bool(refundRiskingPreference),
                "currency": currency.map(JSON.string),
                "storefront": storefront.map(JSON.string),
            ]))
    }
}

/// One item of Request Transaction Refund.
package struct RefundItem: Sendable, Hashable {
    package var sku: String
    package var refundReason: RefundReason
    package var refundType: RefundType
    /// Milliunits of the currency; there exactly when the type is `CUSTOM`.
    package var refundAmount: Int64?
    /// Whether the customer loses the item.
    package var revoke: Bool

    var json: JSON {
        .object(
            JSONObject([
                "SKU": .string(sku),
                "refundReason": .string(refundReason.rawValue),
                "refundType": .string(refundType.rawValue),
                "refundAmount": refundAmount.map(JSON.integer),
                "revoke": .bool(revoke),
            ]))
    }
}

/// Revoke Subscription (fact sheet, 3.2).
package struct RevokeRequest: Sendable, Hashable {
    package var requestInfo: RequestInfo?
    package var refundReason: RefundReason
    package var refundType: RefundType
    package var refundRiskingPreference: Bool
    package var storefront: String?

    func json(_ info: JSON?) -> JSON {
        .object(
            JSONObject([
                "requestInfo": info,
                "refundReason": .string(refundReason.rawValue),
                "refundType": .string(refundType.rawValue),
                "refundRiskingPreference": .bool(refundRiskingPreference),
                "storefront": storefront.map(JSON.string),
            ]))
    }
}

/// Cancel a Subscription (fact sheet, 3.3).
package struct CancelRequest: Sendable, Hashable {
    package var requestInfo: RequestInfo?
    package var storefront: String?

    func json(_ info: JSON?) -> JSON {
        .object(JSONObject(["requestInfo": info, "storefront": storefront.map(JSON.string)]))
    }
}
