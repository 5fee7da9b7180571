/// Whether a transfer's request may have left, as far as libcurl's prerequisite callback tells.
///
/// libcurl calls back each time it is about to write the request: connected, secured, nothing sent. It writes a POST
/// a second time by itself when a kept-alive connection dies under the first, when an HTTP/2 server refuses the
/// stream, or says GOAWAY. One transfer is at most one request on the wire, so only the first call may pass.
/// A server that refuses a stream says with it that it has done nothing (docs/decisions/0033-a-refused-stream.md).
struct Departure {
    enum State: Hashable {
        /// libcurl never was about to write: surely unseen.
        case docked
        /// The caller said no, and nothing was written: surely unseen.
        case refused
        /// The request was let go.
        case departed
        /// It was let go, and the server refused it before it did anything with it: surely unseen.
        case declined
        /// It was let go, and libcurl then wanted to let it go again.
        case repeated
    }

    private(set) var state = State.docked

    /// The request is about to be written; returns whether it may be.
    mutating func prerequisite(mayDepart: () -> Bool) -> Bool {
        switch state {
        case .docked: state = mayDepart() ? .departed : .refused
        case .departed: state = .repeated
        case .refused, .declined, .repeated: return false
        }
        return state == .departed
    }

    /// The server has said of this very request that it was not processed, and no byte of an answer had come.
    mutating func declined() {
        if state == .departed { state = .declined }
    }

    /// What a transfer that brought no whole answer amounts to.
    func outcome(of failure: HTTPFailure) -> HTTPOutcome {
        switch state {
        case .docked: .unsent(failure)
        case .refused: .unsent(HTTPFailure(kind: .notPermitted, message: "refused before the request was written"))
        case .departed: .unclear(failure)
        case .declined:
            .unsent(
                HTTPFailure(
                    kind: .refusedStream, message: "the server refused the request's stream before any processing"))
        case .repeated:
            .unclear(
                HTTPFailure(
                    kind: .repeatedByTransport,
                    message: "the connection failed under the request; its repetition by libcurl was refused"))
        }
    }
}
