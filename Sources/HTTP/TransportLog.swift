/// Reads in libcurl's log which requests the server has refused unprocessed (RFC 9113 section 8.7).
///
/// The words are those of libcurl 7.88 to 8; with others nothing is recognised, and the outcome stays unclear.
struct TransportLog {
    enum Word: Hashable {
        /// The request's stream was refused.
        case refused
        /// The server leaves this connection, and every stream above the one it names is refused: the request's own or
        /// another's, for the log that has the word is that of whoever happened to read it.
        case goAway(last: UInt64)
    }

    /// The number of the request's stream.
    private(set) var stream: UInt64?

    /// One line as libcurl gives it, with its end.
    mutating func read(_ line: some BidirectionalCollection<UInt8>) -> Word? {
        // RST_STREAM with REFUSED_STREAM, or a GOAWAY below the stream while others go on (`Curl_retry_request`).
        if line.elementsEqual(Self.refusal) { return .refused }
        if let rest = line.rest(after: "Using Stream ID: ") {
            stream = rest.number
        } else if let rest = line.rest(after: "[HTTP/2] [") {
            if stream == nil { stream = rest.number }
        } else if let rest = line.rest(after: "recveived GOAWAY, error=")
            ?? line.rest(after: "received GOAWAY, error="),
            let last = rest.drop(while: { $0 != UInt8(ascii: "=") }).dropFirst().number
        {
            return .goAway(last: last)
        }
        return nil
    }

    private static let refusal = Array("REFUSED_STREAM, retrying a fresh connect\n".utf8)
}

extension BidirectionalCollection<UInt8> {
    fileprivate func rest(after prefix: StaticString) -> SubSequence? {
        let start = prefix.withUTF8Buffer { starts(with: $0) ? index(startIndex, offsetBy: $0.count) : nil }
        return start.map { self[$0...] }
    }

    /// The decimal number at the front.
    fileprivate var number: UInt64? {
        UInt64(String(decoding: prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }, as: UTF8.self))
    }
}
