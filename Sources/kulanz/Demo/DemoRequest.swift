import Refunds

/// What one job of the demo asks Apple for: all three operations, all three refund types, several storefronts.
struct DemoRequest {
    private let number: Int
    private let app: DemoApp
    private let incident: Incident?

    init(_ number: Int, of app: DemoApp, _ incident: Incident?) {
        self.number = number
        self.app = app
        self.incident = incident
    }

    private struct Place {
        let storefront, currency: String
        /// Milliunits.
        let part: Int64
    }

    private static let places = [
        Place(storefront: "DEU", currency: "EUR", part: 4990), Place(storefront: "USA", currency: "USD", part: 5490),
        Place(storefront: "GBR", currency: "GBP", part: 3990), Place(storefront: "JPN", currency: "JPY", part: 600_000),
        Place(storefront: "CHE", currency: "CHF", part: 5900),
    ]

    private static let reasons: [RefundReason] = [
        .fulfillmentIssue, .unsatisfiedWithPurchase, .unintendedPurchase, .other,
    ]

    private var place: Place { Self.places[number % Self.places.count] }
    private var reason: JSON { .string(Self.reasons[number % Self.reasons.count].rawValue) }

    /// Refunds that Apple is to refuse for their amount need one.
    private var type: RefundType {
        if incident == .amountTooHigh { return .custom }
        switch (app, number % 4) {
        case (.courses, 0), (.courses, 3): return .prorated
        case (.podcasts, _): return .full
        case (_, 1), (_, 3): return .custom
        default: return .full
        }
    }

    private var operation: Operation {
        guard app == .courses, incident == nil || incident?.isPassing == true else { return .refund }
        return switch number % 8 {
        case 4, 5: .cancel
        case 6: .revoke
        default: .refund
        }
    }

    func write(to job: inout JSONObject) {
        job["operation"] = .string(operation.rawValue)
        if app == .courses {
            // Every sixth customer wants money back and no renewal either: one after the other, never both at once.
            let shared = number % 6 == 4 ? number - 4 : number
            job["originalTransactionId"] = .string(DemoDay.transactionId(shared, of: app))
        }
        switch operation {
        case .refund: writeRefund(&job)
        case .revoke:
            job["endsWholeSubscription"] = .bool(true)
            job["request"] = .object(
                JSONObject([
                    "refundReason": reason, "refundType": .string(RefundType.prorated.rawValue),
                    "refundRiskingPreference": .bool(false), "storefront": .string(place.storefront),
                ]))
        case .cancel: job["request"] = .object(JSONObject(["storefront": .string(place.storefront)]))
        }
    }

    private func writeRefund(_ job: inout JSONObject) {
        let isCustom = type == .custom
        let amount = incident == .amountTooHigh ? place.part * 10 : place.part
        let item = JSONObject([
            "SKU": .string(sku), "refundReason": reason, "refundType": .string(type.rawValue),
            "refundAmount": isCustom ? .integer(amount) : nil, "revoke": .bool(!isCustom),
        ])
        job["request"] = .object(
            JSONObject([
                "items": .array([.object(item)]), "refundRiskingPreference": .bool(false),
                "currency": .string(place.currency), "storefront": .string(place.storefront),
            ]))
        if isCustom { job["amountIncludesTax"] = .bool(place.storefront != "USA") }
    }

    private var sku: String {
        switch app {
        case .audiobooks: "audiobook.\(2000 + number * 13 % 400)"
        case .courses: "course.\(["piano", "spanish", "drawing", "chess"][number % 4]).\(1 + number % 3)"
        case .podcasts: "podcast.plus.2026"
        }
    }
}
