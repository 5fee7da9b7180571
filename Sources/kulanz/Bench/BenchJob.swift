import Refunds

/// The job that is measured: a refund of one item whose JSON takes 310 bytes, as the peers' did.
enum BenchJob {
    static let app = "bench"
    static let bytes = 310

    static func id(_ number: Int) -> String { "case-" + padded(number, to: 12) }

    /// As a producer writes it to a stream.
    static func text(_ number: Int) -> String {
        let text = """
            {"id":"\(id(number))","operation":"refund","transactionId":"2\(padded(number, to: 17))","request":{"items":[\
            {"SKU":"audiobook.4711","refundReason":"FULFILLMENT_ISSUE","refundType":"FULL","revoke":true}],\
            "refundRiskingPreference":false,"currency":"EUR","storefront":"DEU"},"requestedBy":"agent-17","note":"
            """
        return text + String(repeating: "n", count: max(0, bytes - text.utf8.count - 2)) + "\"}"
    }

    /// As a line of a file, which has to name the app.
    static func line(_ number: Int) -> String { #"{"app":"\#(app)","# + text(number).dropFirst() }

    static func job(_ number: Int) throws -> Job {
        let rules = AppRules(name: app, environment: .production)
        return try Job.validate(Array(text(number).utf8), app: rules, from: .lane(.normal)).get()
    }

    private static func padded(_ number: Int, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
