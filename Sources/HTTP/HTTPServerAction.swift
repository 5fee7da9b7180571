/// What the server does with a request.
package enum HTTPServerAction: Sendable {
    /// `Content-Length`, `Date` and `Connection` are added by the server; a field given twice is sent twice.
    case respond(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = [])
    /// Closes the connection without a byte of an answer.
    case cut
    /// Keeps the connection open and never answers, until the client leaves or the server stops.
    case hang
}
