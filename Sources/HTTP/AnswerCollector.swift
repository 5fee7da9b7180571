/// Puts an answer together from the lines and pieces in which it comes.
struct AnswerCollector {
    private let maxBytes: Int
    private let isHead: Bool
    private var bytes = 0
    private var status = 0
    private var version = ""
    private var fields: [HTTPResponse.Field] = []
    private var body: [UInt8] = []
    /// The head has come to its end. libcurl calls an answer that broke off within its head a success.
    private(set) var isHeadWhole = false
    /// Nothing of an answer has come.
    var isEmpty: Bool { bytes == 0 }
    /// A piece didn't fit any more, so the transfer has to end.
    private(set) var isTooLarge = false

    /// `maxBytes` bounds status lines, fields and body together.
    init(maxBytes: Int, isHead: Bool = false) {
        self.maxBytes = maxBytes
        self.isHead = isHead
    }

    /// One line of the head with its line end. False: stop, this is too large.
    mutating func takeLine(_ line: some Collection<UInt8>) -> Bool {
        guard fits(line.count) else { return false }
        let text = String(decoding: line, as: UTF8.self).trimming { $0 == "\r\n" || $0 == "\r" || $0 == "\n" }
        if text.hasPrefix("HTTP/") {
            // A status line after another one: what came before was informational (1xx, RFC 9110 section 15.2).
            let words = text.split(separator: " ", maxSplits: 2)
            version = String(words[0].dropFirst(5))
            status = words.count > 1 ? Int(words[1]) ?? 0 : 0
            fields = []
            isHeadWhole = false
        } else if text.isEmpty {
            isHeadWhole = status >= 200
        } else if let colon = text.firstIndex(of: ":") {
            let value = text[text.index(after: colon)...].trimming { $0 == " " || $0 == "\t" }
            fields.append(HTTPResponse.Field(name: String(text[..<colon]), value: String(value)))
        }
        return true
    }

    /// One piece of the body. False: stop, this is too large.
    mutating func takeBody(_ piece: some Collection<UInt8>) -> Bool {
        guard fits(piece.count) else { return false }
        body.append(contentsOf: piece)
        return true
    }

    private mutating func fits(_ count: Int) -> Bool {
        bytes += count
        isTooLarge = isTooLarge || bytes > maxBytes
        return !isTooLarge
    }

    /// What has come, once the transport says that it was all.
    var response: HTTPResponse {
        HTTPResponse(
            status: status, headers: fields, body: body, version: version, endedByClose: endedByClose)
    }

    private var endedByClose: Bool {
        guard version.hasPrefix("1"), !isHead, status != 204, status != 304 else { return false }
        return !fields.contains { $0.name == "content-length" || $0.name == "transfer-encoding" }
    }
}

extension StringProtocol {
    fileprivate func trimming(_ isBlank: (Character) -> Bool) -> SubSequence {
        var rest = self[...]
        while let first = rest.first, isBlank(first) { rest.removeFirst() }
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return rest
    }
}
