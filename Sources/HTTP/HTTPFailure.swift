/// Why a transfer brought no answer. Whether the server may have seen the request says `HTTPOutcome`, not this.
package struct HTTPFailure: Error, Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The request itself can't be sent: a URL or a header that is none, or a closed client.
        case invalid
        /// The host's name was not found.
        case resolve
        /// No connection: refused, unreachable, or not made in `connectTimeout`.
        case connect
        /// The TLS handshake failed, or the certificate is not trusted or is another host's.
        case tls
        /// The caller's `mayDepart` said no.
        case notPermitted
        /// No whole answer by the deadline.
        case timedOut
        /// The connection ended, or the stream was reset, before the whole answer was here.
        case reset
        /// The server refused the request's HTTP/2 stream before any processing (RFC 9113 section 8.7).
        case refusedStream
        /// What came is not HTTP.
        case garbled
        /// The answer is larger than `maxAnswerBytes`.
        case answerTooLarge
        /// libcurl wanted to write the request a second time by itself, which the client refused.
        case repeatedByTransport
        /// The task was cancelled, or the client closed.
        case cancelled
        case other
    }

    package let kind: Kind
    /// libcurl's `CURLcode`, for a person who looks it up; 0 when libcurl was not the one that failed.
    package let curlCode: Int32
    /// libcurl's own words, or ours; holds host and port at most, never a header or a body.
    package let message: String

    package init(kind: Kind, curlCode: Int32 = 0, message: String) {
        self.kind = kind
        self.curlCode = curlCode
        self.message = message
    }
}

extension HTTPFailure: CustomStringConvertible {
    package var description: String {
        curlCode == 0 ? "\(kind.rawValue): \(message)" : "\(kind.rawValue): \(message) (curl \(curlCode))"
    }
}
