/// When something goes wrong, and what.
package struct Rule: Sendable {
    package enum Count: String, Sendable, CaseIterable {
        /// All arrivals that match.
        case rule
        /// Each transaction has a count of its own: "the first attempt of every refund".
        case transaction
        case referenceId
    }

    package var name: String?
    var endpoint: Endpoint?
    var bundleId: Glob?
    var transactionId: Glob?
    var sku: Glob?
    var count = Count.rule
    /// Which arrivals, counted from 1.
    var from = 1
    var to = Int.max
    var every = 1
    var probability = 1.0
    /// How often at most.
    var times = Int.max
    package var fault: Fault

    init(fault: Fault) { self.fault = fault }
}

extension Rule: Decodable {
    enum Keys: String, ScenarioKeys { case name, when, times, then }

    enum Conditions: String, ScenarioKeys {
        case endpoint, bundleId, transactionId, SKU, arrivals, count, probability
    }

    enum Arrivals: String, ScenarioKeys { case from, to, every }

    package init(from decoder: any Decoder) throws {
        let keys = try decoder.strict(Keys.self)
        self.init(fault: try keys.decode(Fault.self, forKey: .then))
        name = try keys.decodeIfPresent(String.self, forKey: .name)
        times = Int(try keys.number(.times, or: .max, in: 1...(.max)))
        guard keys.contains(.when) else { return }
        try read(keys.superDecoder(forKey: .when))
    }

    private mutating func read(_ decoder: any Decoder) throws {
        let keys = try decoder.strict(Conditions.self)
        if keys.contains(.endpoint) { endpoint = try keys.word(.endpoint, or: Endpoint.requestRefund) }
        bundleId = try keys.decodeIfPresent(String.self, forKey: .bundleId).map(Glob.init)
        transactionId = try keys.decodeIfPresent(String.self, forKey: .transactionId).map(Glob.init)
        sku = try keys.decodeIfPresent(String.self, forKey: .SKU).map(Glob.init)
        count = try keys.word(.count, or: .rule)
        probability = try keys.value(.probability, or: 1)
        guard (0...1).contains(probability) else {
            throw ScenarioError(path: keys.codingPath + [Conditions.probability], problem: "must lie between 0 and 1")
        }
        guard keys.contains(.arrivals) else { return }
        if let number = try? keys.decode(Int.self, forKey: .arrivals) {
            (from, to) = (number, number)
            return
        }
        let window = try keys.superDecoder(forKey: .arrivals).strict(Arrivals.self)
        from = Int(try window.number(.from, or: 1, in: 1...(.max)))
        to = Int(try window.number(.to, or: .max, in: 1...(.max)))
        every = Int(try window.number(.every, or: 1, in: 1...(.max)))
    }
}

extension Fault: Decodable {
    enum Keys: String, ScenarioKeys {
        case word, process, end, status, code, message, body, contentType, headers, retryAfter, retryAfterMs, latencyMs
    }

    enum End: String, CaseIterable { case answer, usual, cut, hang }

    /// A word, or an object that spells it out.
    package init(from decoder: any Decoder) throws {
        if let word = try? decoder.singleValueContainer().decode(String.self) {
            self = try Fault.reading(word, at: decoder.codingPath)
            return
        }
        let keys = try decoder.strict(Keys.self)
        if let word = try keys.decodeIfPresent(String.self, forKey: .word) {
            self = try Fault.reading(word, at: keys.codingPath + [Keys.word])
        } else {
            self.init(name: "usual", moment: .afterProcessing, ending: .usual)
        }
        try readAnswer(keys)
        if keys.contains(.end) {
            switch try keys.word(.end, or: End.answer) {
            case .answer: break
            case .usual: ending = .usual
            case .cut: (ending, name) = (.cut, "cut")
            case .hang: (ending, name) = (.hang, "hang")
            }
            if ending == .cut || ending == .hang { moment = .insteadOfProcessing }
        }
        if let processes = try keys.decodeIfPresent(Bool.self, forKey: .process) {
            moment = processes ? .afterProcessing : .insteadOfProcessing
            if processes, !name.hasSuffix("-after"), ending != .usual { name += "-after" }
        }
        guard ending != .usual || moment == .afterProcessing else {
            throw ScenarioError(path: keys.codingPath, problem: "a request that isn't processed has no usual answer")
        }
        latencyMs = try keys.number(.latencyMs, or: latencyMs, in: 0...3_600_000)
    }

    private static func reading(_ word: String, at path: [any CodingKey]) throws(ScenarioError) -> Fault {
        guard let fault = Fault(word: word) else {
            throw ScenarioError(
                path: path,
                problem:
                    "\"\(word)\" is none of: cut-before, cut, cut-after, hang, hang-after, garbage, empty, slow-MS, "
                    + "an HTTP status or a 7-digit error code (both also with -after)")
        }
        return fault
    }

    private mutating func readAnswer(_ keys: KeyedDecodingContainer<Keys>) throws {
        let parts: [Keys] = [.status, .code, .message, .body, .contentType, .headers, .retryAfter, .retryAfterMs]
        guard parts.contains(where: keys.contains) else { return }
        var answer: FaultAnswer
        if case .answer(let given) = ending { answer = given } else { answer = .empty }
        let status = try keys.decodeIfPresent(Int.self, forKey: .status)
        if let status, !(200...599).contains(status) {
            throw ScenarioError(path: keys.codingPath + [Keys.status], problem: "must lie between 200 and 599")
        }
        if let code = try keys.decodeIfPresent(Int.self, forKey: .code) {
            let message = try keys.decodeIfPresent(String.self, forKey: .message)
            answer = FaultAnswer(Refusal(status: status, code: code, message: message))
            guard (200...599).contains(answer.status) else {
                throw ScenarioError(
                    path: keys.codingPath + [Keys.code],
                    problem: "has 7 digits that begin with an HTTP status, or needs a status")
            }
            (name, moment) = (String(code), .insteadOfProcessing)
        } else if let status {
            answer = FaultAnswer(status: status)
            (name, moment) = (String(status), .insteadOfProcessing)
        }
        if let body = try keys.decodeIfPresent(String.self, forKey: .body) {
            answer.body = Array(body.utf8)
            answer.isUnauthenticated = false
        }
        answer.contentType = try keys.decodeIfPresent(String.self, forKey: .contentType) ?? answer.contentType
        for (name, value) in try keys.value(.headers, or: [String: String]()).sorted(by: { $0.key < $1.key }) {
            answer.headers.append(Answer.Header(name: name, value: value))
        }
        if let text = try keys.decodeIfPresent(String.self, forKey: .retryAfter) { answer.retryAfter = .text(text) }
        if let wait = try keys.decodeIfPresent(Int64.self, forKey: .retryAfterMs) { answer.retryAfter = .inMs(wait) }
        ending = .answer(answer)
    }
}
