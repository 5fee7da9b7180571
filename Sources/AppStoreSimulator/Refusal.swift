/// A coded "no": Apple's error body with its HTTP status.
package struct Refusal: Error, Sendable, Hashable {
    package var status: Int
    package var code: Int
    package var message: String

    package init(_ code: ErrorCode) {
        self.init(status: code.rawValue / 10_000, code: code.rawValue, message: code.message)
    }

    /// Any code at all, also one that Apple never listed; the status is its first three digits unless it is given.
    package init(status: Int? = nil, code: Int, message: String? = nil) {
        self.status = status ?? code / 10_000
        self.code = code
        self.message = message ?? ErrorCode(rawValue: code)?.message ?? "Simulated error \(code)."
    }

    init(status: Int, code: Int, message: String) {
        self.status = status
        self.code = code
        self.message = message
    }
}
