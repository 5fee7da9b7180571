/// What became of one transfer, in the terms that money hangs on: may the server have seen the request?
package enum HTTPOutcome: Sendable {
    /// A whole answer, of any status.
    case response(HTTPResponse)
    /// Surely no byte of the request has left, or the server has said that it did nothing with it: sending it again
    /// can't be a second request.
    case unsent(HTTPFailure)
    /// Some or all of the request may have left, and no answer can be trusted.
    case unclear(HTTPFailure)
}
