/// What came of one send, in words that know nothing of HTTP's machinery.
package enum Answer: Sendable, Hashable {
    /// - `errorCode`: Apple's seven digits, if the body was JSON and had them.
    /// - `retryAfter`: every `Retry-After` header, as sent.
    /// - `date`: Apple's own `Date` header.
    /// - `isReadable200`: whether a 200's body was JSON with the string `signedTransactionInfo`.
    case response(status: Int, errorCode: Int64?, retryAfter: [String], date: String?, isReadable200: Bool)
    /// Surely no byte of the request left: no address, refused, no TLS, or not permitted to depart.
    case unsent(String)
    /// A byte may have left, and no answer can be trusted: time-out, reset, end of file, too long an answer.
    case unclear(String)

    /// An answer as it came over the wire; `json` is its body, nil if it isn't any.
    package static func reading(status: Int, retryAfter: [String], date: String?, json: JSON?) -> Answer {
        .response(
            status: status, errorCode: json?["errorCode"]?.integer, retryAfter: retryAfter, date: date,
            isReadable200: status == 200 && json?["signedTransactionInfo"]?.string != nil)
    }
}
