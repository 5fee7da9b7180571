package import HTTP
package import Refunds

/// What one call brought: the answer to judge, and what is kept beside it.
package struct AppStoreReply: Sendable {
    package let answer: Answer
    /// The transaction as Apple signed it in a 200. Nobody has verified it yet.
    package let signedTransactionInfo: String?
    /// The same for a subscription's renewal.
    package let signedRenewalInfo: String?
    /// Apple's own words of an error, for a person; they may change at any time, so nothing is decided by them.
    package let errorMessage: String?
    /// The caller's own `mayDepart` said no: nothing was sent, and nothing is wrong with Apple or the network.
    package let wasNotPermitted: Bool
    /// Apple's end was reached and said that it has done nothing with the request.
    package let wasRefused: Bool
    package let timings: HTTPTimings

    /// The HTTP status; nil when there was no answer.
    package var status: Int? {
        if case .response(let status, _, _, _, _) = answer { status } else { nil }
    }

    /// Apple's code, if the body was a JSON object that had one.
    package var errorCode: Int64? {
        if case .response(_, let errorCode, _, _, _) = answer { errorCode } else { nil }
    }

    init(
        answer: Answer, wasNotPermitted: Bool = false, wasRefused: Bool = false, timings: HTTPTimings = HTTPTimings()
    ) {
        self.answer = answer
        self.wasNotPermitted = wasNotPermitted
        self.wasRefused = wasRefused
        signedTransactionInfo = nil
        signedRenewalInfo = nil
        errorMessage = nil
        self.timings = timings
    }

    init(_ outcome: HTTPOutcome, timings: HTTPTimings) {
        switch outcome {
        case .unsent(let failure):
            self.init(
                answer: .unsent(failure.description), wasNotPermitted: failure.kind == .notPermitted,
                wasRefused: failure.kind == .refusedStream, timings: timings)
        case .unclear(let failure): self.init(answer: .unclear(failure.description), timings: timings)
        case .response(let response): self.init(response, timings: timings)
        }
    }

    private init(_ response: HTTPResponse, timings: HTTPTimings) {
        // Apple sends JSON; whatever else stands in between (a proxy's page, plain text of a 401) isn't quoted.
        let json = try? JSON(reading: response.body)
        answer = .reading(
            status: response.status, retryAfter: response.values(of: "Retry-After"),
            date: response.values(of: "Date").first, json: json)
        let isSuccess = response.status == 200
        signedTransactionInfo = isSuccess ? json?["signedTransactionInfo"]?.string : nil
        signedRenewalInfo = isSuccess ? json?["signedRenewalInfo"]?.string : nil
        wasNotPermitted = false
        wasRefused = false
        errorMessage = isSuccess ? nil : json?["errorMessage"]?.string.map { String($0.prefix(500)) }
        self.timings = timings
    }
}
