import Refunds

/// What goes wrong with a request at Apple, once or for good.
enum Incident: Sendable, CaseIterable {
    // Passing: the request is repeated, and no money moves twice.
    case processedThenCut, processedThenSilent, processedThenError, cut, internalError, unavailable, rateLimited
    // Final: Apple says no.
    case amountTooHigh, notRefundable, notFound, pendingRefund

    /// As the simulator's journal names the rule, and as the summary says it.
    var title: String {
        switch self {
        case .processedThenCut: "processed, then the connection cut"
        case .processedThenSilent: "processed, then silence until the time-out"
        case .processedThenError: "processed, then answered with a 500"
        case .cut: "connection cut"
        case .internalError: "500 from Apple"
        case .unavailable: "503 in HTML from something before Apple"
        case .rateLimited: "429 with a Retry-After in milliseconds"
        case .amountTooHigh: "more asked for than was paid"
        case .notRefundable: "not refundable"
        case .notFound: "unknown transaction"
        case .pendingRefund: "the customer has asked Apple, too"
        }
    }

    var isPassing: Bool {
        switch self {
        case .processedThenCut, .processedThenSilent, .processedThenError, .cut, .internalError, .unavailable,
            .rateLimited:
            true
        case .amountTooHigh, .notRefundable, .notFound, .pendingRefund: false
        }
    }

    /// Whether Apple has taken the request although no answer says so: the case in which others refund twice.
    var isTaken: Bool { self == .processedThenCut || self == .processedThenSilent || self == .processedThenError }

    /// What the simulator's rule does.
    private var fault: JSON {
        switch self {
        case .processedThenCut: .string("cut-after")
        case .processedThenSilent: .string("hang-after")
        case .processedThenError: .string("500-after")
        case .cut: .string("cut")
        case .internalError: .string("500")
        case .unavailable: .string("503")
        case .rateLimited:
            .object(JSONObject(["code": .integer(4_290_000), "retryAfterMs": .integer(1200)]))
        case .amountTooHigh: .string("4000132")
        case .notRefundable: .string("4030024")
        case .notFound: .string("4040010")
        case .pendingRefund: .string("4000181")
        }
    }

    /// The rule that makes it happen to a transaction: on its first arrival, or on each if Apple means it.
    func rule(for transactionId: String) -> JSON {
        let condition = JSONObject([
            "transactionId": .string(transactionId), "count": .string("transaction"),
            "arrivals": isPassing ? .integer(1) : nil,
        ])
        return .object(JSONObject(["name": .string(title), "when": .object(condition), "then": fault]))
    }
}
