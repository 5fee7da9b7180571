import Foundation

/// What a journal proves: rates kept or broken, refunds taken twice, repeats that were no repeats.
///
/// It knows nothing but what arrived. Whose job an id belonged to it can't know: a second refund of a SKU under another
/// id may be two jobs of a client that meant both, so it names the ids and leaves the verdict to who knows the jobs.
package struct JournalAudit: Sendable {
    package enum Verdict: String, Sendable { case ok, breach, inconclusive }

    package struct Rate: Sendable, Hashable {
        package var bundleId: String
        package var environment: AppEnvironment
        package var arrivals = 0
        /// The most in any sliding second, and the stamp of its first arrival.
        package var mostInASecond = 0
        package var mostFromNs: Int64 = 0
        package var allowed: Int
        package var windowNs: Int64
        package var judgement = SlidingWindow.Judgement()

        /// A window that holds too many by its stamps is never "ok", whatever the stalls.
        package var verdict: Verdict {
            if judgement.breaches > 0 { return .breach }
            return judgement.inconclusive > 0 ? .inconclusive : .ok
        }
    }

    /// One refund that was taken: an arrival that was processed, and what it took.
    package struct Taking: Sendable, Hashable {
        package let number: Int
        package let referenceId: String
        package let bodyHash: String
        package let type: String
        package let amount: Int64?
        package let fault: String?
    }

    /// All that was taken for one SKU of one transaction; `*` is a whole subscription.
    package struct Refund: Sendable, Hashable {
        package let bundleId: String
        package let transactionId: String
        package let sku: String
        package var takings: [Taking] = []

        package var referenceIds: [String] {
            takings.map(\.referenceId).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        }
        /// Under one id: this Apple processes repeats (`process-twice`).
        package var isTwiceUnderOneId: Bool { takings.count > referenceIds.count }
        /// Under several ids: two jobs of the client, or one that changed its id.
        package var isTwiceUnderSeveralIds: Bool { referenceIds.count > 1 }
    }

    package struct Purchase: Sendable, Hashable {
        package let bundleId: String
        package let transactionId: String
        package var referenceIds: [String]
    }

    package private(set) var arrivals = 0
    package private(set) var processed = 0
    /// Arrivals under an id that had arrived before, processed or not.
    package private(set) var repeats = 0
    /// Of those, the ones whose bytes differ from the first arrival's; must be 0.
    package private(set) var repeatsWithOtherBytes = 0
    package private(set) var rates: [Rate] = []
    package private(set) var refunds: [Refund] = []
    /// Transactions that more than one id arrived for.
    package private(set) var purchasesWithSeveralIds: [Purchase] = []
    /// Endings by kind: `200`, `403 4030020`, `cut`, `hung`.
    package private(set) var endings: [String: Int] = [:]
    package private(set) var faults: [String: Int] = [:]
    package private(set) var refusedTokens: [String: Int] = [:]
    package private(set) var arrivalsWithUnknownFields = 0
    package private(set) var worstStallNs: Int64 = 0
    /// Lines that can't be read. One at the end is what a kill -9 leaves.
    package private(set) var unreadableLines = 0

    package var refundsTakenTwice: [Refund] { refunds.filter { $0.takings.count > 1 } }
    package var requestsTakenTwiceUnderOneId: Int { refunds.count { $0.isTwiceUnderOneId } }

    /// The worst of the apps' verdicts.
    package var verdict: Verdict {
        if rates.contains(where: { $0.verdict == .breach }) { return .breach }
        return rates.contains { $0.verdict == .inconclusive } ? .inconclusive : .ok
    }

    /// Reads a journal's bytes. `requestsPerSecond` gives apps a rate of their own by bundle; the others have Apple's,
    /// 5 in production and 0.5 in the sandbox.
    package init(reading bytes: [UInt8], requestsPerSecond: [String: Double] = [:]) {
        var lines: [JournalLine] = []
        var unreadable = 0
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            if let line = JournalLine(reading: Array(line)) { lines.append(line) } else { unreadable += 1 }
        }
        self.init(lines, requestsPerSecond: requestsPerSecond)
        unreadableLines = unreadable
    }

    package init(_ lines: [JournalLine], requestsPerSecond: [String: Double] = [:]) {
        var timeline = Timeline()
        for line in lines { timeline.add(line) }
        worstStallNs = timeline.worstStallNs
        for (_, entry) in timeline.entries { count(entry) }
        countRefunds(timeline.entries.map(\.entry))
        countRepeats(timeline.entries.map(\.entry))
        judgeRates(timeline, requestsPerSecond)
    }

    private mutating func count(_ entry: JournalEntry) {
        arrivals += 1
        if entry.isProcessed { processed += 1 }
        if !entry.unknownFields.isEmpty { arrivalsWithUnknownFields += 1 }
        if let token = entry.token, token != "ok" { refusedTokens[token, default: 0] += 1 }
        if let fault = entry.fault { faults[fault, default: 0] += 1 }
        let ending =
            switch entry.ending {
            case .cut: "cut"
            case .hung: "hung"
            case .answered: [entry.status, entry.code].compactMap { $0.map(String.init) }.joined(separator: " ")
            }
        endings[ending, default: 0] += 1
    }

    private mutating func countRefunds(_ entries: [JournalEntry]) {
        var places: [[String]: Int] = [:]
        for entry in entries where entry.isProcessed {
            for item in entry.items where item.reason != Call.declineReason {
                let (bundleId, transactionId) = (entry.bundleId ?? "", entry.transactionId ?? "")
                let key = [bundleId, transactionId, item.sku]
                let place = places[key] ?? refunds.count
                if place == refunds.count {
                    places[key] = place
                    refunds.append(Refund(bundleId: bundleId, transactionId: transactionId, sku: item.sku))
                }
                refunds[place].takings.append(
                    Taking(
                        number: entry.number, referenceId: entry.referenceId ?? "", bodyHash: entry.bodyHash ?? "",
                        type: item.type ?? "", amount: item.amount, fault: entry.fault))
            }
        }
    }

    private mutating func countRepeats(_ entries: [JournalEntry]) {
        var firstHash: [[String]: String] = [:]
        var ids: [[String]: [String]] = [:]
        for entry in entries {
            guard let referenceId = entry.referenceId?.lowercased(), let hash = entry.bodyHash else { continue }
            let bundleId = entry.bundleId ?? ""
            if let first = firstHash[[bundleId, referenceId]] {
                repeats += 1
                if first != hash { repeatsWithOtherBytes += 1 }
            } else {
                firstHash[[bundleId, referenceId]] = hash
            }
            let purchase = [bundleId, entry.transactionId ?? ""]
            if ids[purchase]?.contains(referenceId) != true { ids[purchase, default: []].append(referenceId) }
        }
        purchasesWithSeveralIds = ids.filter { $0.value.count > 1 }
            .map { Purchase(bundleId: $0.key[0], transactionId: $0.key[1], referenceIds: $0.value) }
            .sorted { ($0.bundleId, $0.transactionId) < ($1.bundleId, $1.transactionId) }
    }

    private mutating func judgeRates(_ timeline: Timeline, _ requestsPerSecond: [String: Double]) {
        var byApp: [String: [(SlidingWindow.Stamp, JournalEntry)]] = [:]
        for (stamp, entry) in timeline.stamped where entry.bundleId != nil {
            byApp[entry.bundleId ?? "", default: []].append((stamp, entry))
        }
        rates = byApp.sorted { $0.key < $1.key }.map { bundleId, arrivals in
            let environment = arrivals.lazy.compactMap(\.1.environment).first ?? .production
            let perSecond = requestsPerSecond[bundleId] ?? (environment == .production ? 5 : 0.5)
            // The rate N a second means N in a second; less than one a second means one in so much longer.
            let allowed = max(1, Int(perSecond))
            let window = Int64((Double(allowed) / perSecond * 1_000_000_000).rounded())
            let stamps = arrivals.map(\.0)
            let most = SlidingWindow.most(stamps.map(\.ns), in: 1_000_000_000)
            return Rate(
                bundleId: bundleId, environment: environment, arrivals: arrivals.count, mostInASecond: most?.count ?? 0,
                mostFromNs: most?.from ?? 0, allowed: allowed, windowNs: window,
                judgement: SlidingWindow.judge(stamps, allowed: allowed, in: window))
        }
    }
}
