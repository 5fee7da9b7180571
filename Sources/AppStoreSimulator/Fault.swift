/// One way in which a call goes wrong, as a rule or a transaction identifier asks for it.
package struct Fault: Sendable, Hashable {
    package enum Moment: Sendable, Hashable {
        /// The head has come, the body is never read.
        case beforeBody
        /// The body was read, and nothing is done with it.
        case insteadOfProcessing
        /// Everything happens as usual, only the answer is another one, late, or lost.
        case afterProcessing
    }

    package enum Ending: Sendable, Hashable {
        case usual
        case answer(FaultAnswer)
        case cut
        case hang
    }

    /// As it stands in the journal.
    package var name: String
    package var moment: Moment
    package var ending: Ending
    package var latencyMs: Int64 = 0

    /// Whether a client that tries again is meant to succeed: true for all that Apple's own machines do to a call,
    /// false for what Apple says about the call itself.
    var isPassing: Bool {
        guard case .answer(let answer) = ending else { return true }
        return !(400..<500).contains(answer.status) || [401, 408, 429].contains(answer.status)
    }
}

/// The answer of a fault; Retry-After is filled in when it is given.
package struct FaultAnswer: Sendable, Hashable {
    package enum RetryAfter: Sendable, Hashable {
        /// UNIX ms, so far from now.
        case inMs(Int64)
        /// Exactly this text, however wrong.
        case text(String)
    }

    package var status: Int
    package var contentType: String?
    package var body: [UInt8]
    package var headers: [Answer.Header] = []
    package var retryAfter: RetryAfter?
    /// Set by the status itself when nothing else was asked for; the request id changes with every arrival.
    package var isUnauthenticated = false

    func answer(wallMs: Int64, requestId: String) -> Answer {
        guard !isUnauthenticated else { return .unauthenticated(requestId: requestId) }
        var answer = Answer(status: status, contentType: contentType, body: body, headers: headers)
        switch retryAfter {
        case nil: break
        case .inMs(let wait): answer.headers.append(.init(name: "Retry-After", value: String(wallMs + wait)))
        case .text(let text): answer.headers.append(.init(name: "Retry-After", value: text))
        }
        return answer
    }

    /// What Apple, or the machine before it, says with such a status when nothing more is known.
    init(status: Int) {
        self.status = status
        body = []
        switch status {
        case 401:
            isUnauthenticated = true
        case 429:
            self = FaultAnswer(Refusal(.rateLimitExceeded))
            retryAfter = .inMs(1000)
        case 500:
            self = FaultAnswer(Refusal(.generalInternal))
        case 300..<400:
            headers = [.init(name: "Location", value: "/elsewhere")]
        case 200..<300:
            break
        default:
            contentType = "text/html"
            body = Answer.html(status: status, title: Self.titles[status] ?? "Error").body
        }
    }

    init(_ refusal: Refusal) {
        status = refusal.status
        contentType = "application/json"
        body = Answer.refusal(refusal).body
    }

    init(status: Int, contentType: String?, body: [UInt8]) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }

    private static let titles = [
        400: "Bad Request", 403: "Forbidden", 404: "Not Found", 408: "Request Timeout", 502: "Bad Gateway",
        503: "Service Unavailable", 504: "Gateway Timeout",
    ]
}
