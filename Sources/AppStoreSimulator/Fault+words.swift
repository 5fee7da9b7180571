extension Fault {
    /// The words that rules (`then: "cut-after"`) and transaction identifiers (`4711-cut-after`) share.
    ///
    /// `cut-before` · `cut` · `cut-after` · `hang` · `hang-after` · `garbage` · `empty` · a 7-digit error code · a
    /// 3-digit HTTP status, either with `-after` · `slow-` and ms.
    package init?(word: String) {
        switch word {
        case "cut-before": self.init(name: word, moment: .beforeBody, ending: .cut)
        case "cut": self.init(name: word, moment: .insteadOfProcessing, ending: .cut)
        case "cut-after": self.init(name: word, moment: .afterProcessing, ending: .cut)
        case "hang": self.init(name: word, moment: .insteadOfProcessing, ending: .hang)
        case "hang-after": self.init(name: word, moment: .afterProcessing, ending: .hang)
        case "garbage": self.init(name: word, moment: .afterProcessing, ending: .answer(.garbage))
        case "empty": self.init(name: word, moment: .afterProcessing, ending: .answer(.empty))
        default: self.init(numeric: word)
        }
    }

    private init?(numeric word: String) {
        if word.hasPrefix("slow-"), let ms = Self.digits(word.dropFirst("slow-".count), count: 1...7) {
            self.init(name: word, moment: .afterProcessing, ending: .usual, latencyMs: Int64(ms))
            return
        }
        let isAfter = word.hasSuffix("-after")
        let number = isAfter ? word.dropLast("-after".count) : word[...]
        let moment = isAfter ? Moment.afterProcessing : .insteadOfProcessing
        if let status = Self.digits(number, count: 3...3), (200...599).contains(status) {
            self.init(name: word, moment: moment, ending: .answer(FaultAnswer(status: status)))
        } else if let code = Self.digits(number, count: 7...7), (200...599).contains(code / 10_000) {
            self.init(name: word, moment: moment, ending: .answer(FaultAnswer(code: code)))
        } else {
            return nil
        }
    }

    private static func digits(_ text: Substring, count: ClosedRange<Int>) -> Int? {
        guard count.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }
}

extension FaultAnswer {
    /// A 200 that promises JSON and breaks off.
    static let garbage = FaultAnswer(
        status: 200, contentType: "application/json", body: Array("{\"signedTransactionInfo\":\"eyJhbG\u{0}".utf8))

    static let empty = FaultAnswer(status: 200, contentType: "application/json", body: [])

    /// Apple's answer with that code; with a Retry-After if it is the one that has it.
    init(code: Int) {
        self.init(Refusal(code: code))
        if code == ErrorCode.rateLimitExceeded.rawValue { retryAfter = .inMs(1000) }
    }
}
