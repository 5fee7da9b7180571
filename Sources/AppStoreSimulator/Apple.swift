import Crypto

/// The three endpoints as a machine without a socket or a clock: an arrival in, a verdict out.
///
/// In this order: token (401), limits (429), rules and conventions, addendum, form of the body (400), repeats of an id,
/// the transaction (404, 400, 403), the book of refunds (4000181, 4030021), and only then the deed and its 200.
package struct Apple: Sendable {
    package private(set) var scenario: Scenario
    private(set) var rules: RuleBook
    private(set) var book = Book()
    private var tokens = TokenCheck()
    private var door = Doorkeeper()
    private var signatory: Signatory
    private var conventionsMet: [Book.Purchase: Int] = [:]
    private var arrivals = 0

    /// Makes the certificate chain too; `wallMs` is the time from which its certificates are valid.
    package init(scenario: Scenario, wallMs: Int64) throws {
        self.scenario = scenario
        rules = RuleBook(scenario.rules, seed: scenario.seed)
        signatory = try Signatory(wallMs: wallMs)
    }

    package var rootPEM: String { signatory.rootPEM }

    // MARK: Steering

    /// Another Apple from here on; what it has done so far it remembers. A scenario that names no apps keeps these.
    mutating func adopt(_ fresh: Scenario) {
        var fresh = fresh
        if fresh.apps.isEmpty { (fresh.apps, fresh.acceptsAnyApp) = (scenario.apps, scenario.acceptsAnyApp) }
        scenario = fresh
        rules = RuleBook(scenario.rules, seed: scenario.seed)
        tokens.forget()
    }

    mutating func add(_ fresh: [Rule]) { rules.prepend(fresh) }
    mutating func removeRules(named name: String?) { rules.remove(named: name) }

    /// As on the first day: no refund taken, no id used, no call counted. The rules begin to count anew.
    mutating func forget() {
        (book, door, conventionsMet, arrivals) = (Book(), Doorkeeper(), [:], 0)
        rules = RuleBook(scenario.rules, seed: scenario.seed)
        signatory.forget()
    }

    // MARK: Arrivals

    /// The verdict on a call whose body nobody will read; nil when the body is wanted.
    package mutating func receiveHead(of arrival: Arrival) -> Verdict? {
        guard let (endpoint, transactionId) = Endpoint.parse(path: arrival.path), arrival.method == "POST" else {
            return nil
        }
        let bundleId = TokenCheck.claimedBundle(in: arrival.authorization) ?? ""
        let subject = RuleBook.Subject(endpoint: endpoint, bundleId: bundleId, transactionId: transactionId)
        guard isCutBeforeBody(subject), let (fault, rule) = fault(for: subject) else { return nil }
        var entry = entry(for: arrival)
        entry.bundleId = bundleId.isEmpty ? nil : bundleId
        (entry.fault, entry.rule, entry.ending) = (fault.name, rule, .cut)
        return Verdict(ending: .cut, latencyMs: fault.latencyMs, entry: entry)
    }

    package mutating func receive(_ arrival: Arrival) -> Verdict {
        var entry = entry(for: arrival)
        guard let endpoint = entry.endpoint, let transactionId = entry.transactionId else {
            return answered(.html(status: 404, title: "Not Found"), entry)
        }
        guard arrival.method == "POST" else {
            return answered(.html(status: 405, title: "Method Not Allowed"), entry)
        }
        let body = JSONValue(reading: arrival.body)
        entry.note(body: arrival.body, read: body)

        let token = tokens.check(arrival.authorization, for: scenario, wallMs: arrival.wallMs)
        entry.bundleId = token.bundleId
        let app: SimulatedApp
        switch token.result {
        case .failure(let failure):
            entry.token = failure.rawValue
            return answered(.unauthenticated(requestId: requestId), entry)
        case .success(let found):
            app = found
            entry.token = "ok"
            entry.environment = app.environment
        }

        if let wait = door.wait(for: endpoint, of: app, at: arrival.nanoseconds) {
            // Rounded up, or a client that comes in time comes too early.
            return answered(.rateLimited(retryAfter: String(arrival.wallMs + wait / 1_000_000 + 1)), entry)
        }

        let subject = RuleBook.Subject(
            endpoint: endpoint, bundleId: app.bundleId, transactionId: transactionId, skus: entry.items.map(\.sku),
            referenceId: entry.referenceId?.lowercased())
        let asked = fault(for: subject)
        (entry.fault, entry.rule) = (asked?.fault.name, asked?.rule)
        if let fault = asked?.fault, fault.moment != .afterProcessing {
            return verdict(of: fault, instead: nil, arrival, entry)
        }
        let usual = process(body, of: app, arrival, entry: &entry)
        guard let fault = asked?.fault else { return answered(usual, entry) }
        return verdict(of: fault, instead: usual, arrival, entry)
    }

    private mutating func entry(for arrival: Arrival) -> JournalEntry {
        arrivals += 1
        var entry = JournalEntry(number: arrivals, of: arrival)
        if let (endpoint, transactionId) = Endpoint.parse(path: arrival.path) {
            (entry.endpoint, entry.transactionId) = (endpoint, transactionId)
        }
        return entry
    }

    private var requestId: String { "SIMULATOR.\(arrivals).0.0" }

    // MARK: Faults

    private mutating func fault(for subject: RuleBook.Subject) -> (fault: Fault, rule: String?)? {
        if let (fault, rule) = rules.fault(for: subject) { return (fault, rule) }
        guard let convention = convention(of: subject) else { return nil }
        conventionsMet[subject.purchase, default: 0] += 1
        return (convention.fault, nil)
    }

    /// The convention in a transaction identifier, unless it has happened as often as it was meant to.
    private func convention(of subject: RuleBook.Subject) -> Convention? {
        guard scenario.conventions, let convention = Convention(transactionId: subject.transactionId) else {
            return nil
        }
        if let times = convention.times, conventionsMet[subject.purchase, default: 0] >= times { return nil }
        return convention
    }

    /// Looks without counting: most arrivals go on, and are counted once their body is there.
    private func isCutBeforeBody(_ subject: RuleBook.Subject) -> Bool {
        let asksForIt = convention(of: subject)?.fault.moment == .beforeBody
        guard asksForIt || rules.canCutBeforeBody else { return false }
        var copy = rules
        return (copy.fault(for: subject)?.fault.moment ?? convention(of: subject)?.fault.moment) == .beforeBody
    }

    private func verdict(
        of fault: Fault, instead usual: Answer?, _ arrival: Arrival, _ entry: JournalEntry
    ) -> Verdict {
        var entry = entry
        let latency = scenario.latencyMs + fault.latencyMs
        entry.latencyMs = latency
        if fault.ending != .usual, let usual {
            (entry.lostStatus, entry.lostCode) = (usual.status, usual.errorCode)
        }
        switch fault.ending {
        case .usual:
            var verdict = answered(usual ?? .html(status: 500, title: "Internal Server Error"), entry)
            verdict.latencyMs = latency
            verdict.entry.latencyMs = latency
            return verdict
        case .answer(let answer):
            let answer = answer.answer(wallMs: arrival.wallMs, requestId: requestId)
            (entry.status, entry.code) = (answer.status, answer.errorCode)
            return Verdict(ending: .answer(answer), latencyMs: latency, entry: entry)
        case .cut:
            entry.ending = .cut
            return Verdict(ending: .cut, latencyMs: latency, entry: entry)
        case .hang:
            entry.ending = .hung
            return Verdict(ending: .hang, latencyMs: latency, entry: entry)
        }
    }

    private func answered(_ answer: Answer, _ entry: JournalEntry) -> Verdict {
        var entry = entry
        (entry.status, entry.code) = (answer.status, answer.errorCode)
        entry.latencyMs = scenario.latencyMs
        return Verdict(ending: .answer(answer), latencyMs: scenario.latencyMs, entry: entry)
    }

    // MARK: The call itself

    private mutating func process(
        _ body: JSONValue?, of app: SimulatedApp, _ arrival: Arrival, entry: inout JournalEntry
    ) -> Answer {
        guard let endpoint = entry.endpoint, let transactionId = entry.transactionId else {
            return .html(status: 404, title: "Not Found")
        }
        if let addendum = app.addendum { return addendum.answer }
        do throws(Refusal) {
            try checkPath(transactionId)
            if scenario.unknownFields == .refuse, !entry.unknownFields.isEmpty { throw Refusal(.malformedPayload) }
            let check = BodyCheck(
                endpoint: endpoint, environment: app.environment, maximumItems: scenario.maximumItems)
            let call = try check.call(from: body)
            if let first = book.remembered(call.referenceId, bundleId: app.bundleId) {
                entry.isRepeat = true
                entry.hasSameBytes = first.bodyHash == entry.bodyHash
                let mode = app.repeats ?? scenario.repeats
                if let answer = try repeated(call, of: transactionId, first, mode) { return answer }
            } else {
                try checkTransaction(call, of: app, transactionId, nowMs: arrival.wallMs)
            }
            entry.isProcessed = true
            return accept(call, of: app, transactionId, arrival, bodyHash: entry.bodyHash ?? "")
        } catch {
            return .refusal(error)
        }
    }

    private func checkPath(_ transactionId: String) throws(Refusal) {
        guard !transactionId.isEmpty else { throw Refusal(.nullTransactionId) }
        let isPlain = transactionId.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isPlain else { throw Refusal(.invalidTransactionId) }
    }

    /// Nil when the call is to be done again.
    private mutating func repeated(
        _ call: Call, of transactionId: String, _ first: Book.Remembered, _ mode: Scenario.RepeatMode
    ) throws(Refusal) -> Answer? {
        // An id that belongs to another call is a mistake in every mode; a cancel has no code of its own for it.
        guard first.payload.call.endpoint == call.endpoint, first.payload.transactionId == transactionId else {
            throw Refusal(call.endpoint == .cancel ? .invalidRequestReferenceID : .repeatedRequestReferenceID)
        }
        switch mode {
        case .processTwice: return nil
        case .reject where call.endpoint != .cancel: throw Refusal(.repeatedRequestReferenceID)
        case .reject, .replay: return ok(signatory.bodyAgain(for: first.payload))
        }
    }

    private func checkTransaction(
        _ call: Call, of app: SimulatedApp, _ transactionId: String, nowMs: Int64
    ) throws(Refusal) {
        let known = app.transactions[transactionId]
        guard known != nil || app.acceptsUnlistedTransactions, !isAnothers(transactionId, than: app) else {
            throw Refusal(.transactionIdNotFound)
        }
        let purchase = Book.Purchase(bundleId: app.bundleId, transactionId: transactionId)
        let original = known?.originalTransactionId ?? transactionId
        let subscription = Book.Purchase(bundleId: app.bundleId, transactionId: original)
        if let known { try known.check(call) }
        if let token = call.consistencyToken {
            let current = Payload.consistencyToken(
                original: original, bundleId: app.bundleId, revision: book.account(subscription).revision)
            guard token == current else { throw Refusal(.invalidConsistencyToken) }
        }
        if let refusal = book.refusal(
            of: call, for: purchase, in: subscription, known: known, scenario: scenario, nowMs: nowMs)
        {
            throw refusal
        }
    }

    /// Apple doesn't find a transaction with the token of another app.
    private func isAnothers(_ transactionId: String, than app: SimulatedApp) -> Bool {
        app.transactions[transactionId] == nil
            && scenario.apps.values.contains { $0.transactions[transactionId] != nil }
    }

    private mutating func accept(
        _ call: Call, of app: SimulatedApp, _ transactionId: String, _ arrival: Arrival, bodyHash: String
    ) -> Answer {
        let known = app.transactions[transactionId]
        let booked = call.endpoint == .requestRefund ? transactionId : known?.originalTransactionId ?? transactionId
        let purchase = Book.Purchase(bundleId: app.bundleId, transactionId: booked)
        let earlier = book.account(purchase).lines
        book.enter(call, for: purchase, nowMs: arrival.wallMs)
        var account = book.account(purchase)
        account.lines = earlier
        let payload = Payload(
            app: app, transactionId: transactionId, known: known, account: account, call: call,
            decisionMs: scenario.decisionMs, nowMs: arrival.wallMs)
        book.remember(
            Book.Remembered(bodyHash: bodyHash, payload: payload), as: call.referenceId, bundleId: app.bundleId)
        return ok(signatory.sign(payload))
    }

    private func ok(_ body: [UInt8]) -> Answer {
        Answer(status: 200, contentType: "application/json", body: body)
    }
}

extension RuleBook.Subject {
    fileprivate var purchase: Book.Purchase { Book.Purchase(bundleId: bundleId, transactionId: transactionId) }
}

extension SimulatedApp.AddendumAnswer {
    fileprivate var answer: Answer {
        guard let code else {
            return Answer(status: status, contentType: "text/plain;charset=utf-8", body: Array((message + "\n").utf8))
        }
        return .refusal(Refusal(status: status, code: code, message: message))
    }
}
