/// A refund as a producer asks for it. Each has a transaction of its own unless said otherwise, so that an arrival at
/// Apple says whose it is.
struct TestJob: Sendable, Hashable {
    var id: String
    var transaction: String
    var app = "audiobooks"
    var sku = "audiobook.4711"
    var note = ""

    var key: String { "\(app)/\(id)" }

    var json: String {
        """
        {"id":"\(id)","app":"\(app)","operation":"refund","transactionId":"\(transaction)","request":{"items":[\
        {"SKU":"\(sku)","refundReason":"FULFILLMENT_ISSUE","refundType":"CUSTOM","refundAmount":4990,"revoke":true}],\
        "refundRiskingPreference":false,"currency":"EUR","storefront":"DEU"},"amountIncludesTax":true\
        \(note.isEmpty ? "" : ",\"note\":\"\(note)\"")}
        """
    }

    /// `number` jobs with 16-digit transactions; `suffix` asks the simulator for a fault (`-hang-always`).
    static func make(_ number: Int, app: String = "audiobooks", from first: Int = 1, suffix: String = "") -> [TestJob] {
        (first..<first + number).map {
            TestJob(id: "case.\($0)", transaction: "\(2_000_000_000_000_000 + $0)\(suffix)", app: app)
        }
    }
}
