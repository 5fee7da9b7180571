import AppStoreSimulator
import Foundation
import Queue
import Refunds

/// What the day came to. The numbers about requests are the simulator's journal's, those about jobs are Redis'; where
/// both know something they are held against each other.
struct DemoReport: Sendable {
    /// What `kulanz enqueue` answered, line by line.
    struct Campaign: Sendable {
        private(set) var enqueued = 0
        private(set) var duplicates = 0
        private(set) var refused = 0

        mutating func count(_ line: String) {
            guard let json = try? JSON(reading: Array(line.utf8)) else { return }
            if json["violations"] != nil {
                refused += 1
            } else if json["duplicate"]?.bool == true {
                duplicates += 1
            } else {
                enqueued += 1
            }
        }
    }

    enum Verdict: Sendable, Hashable {
        case asPromised
        /// Something could not be proven, or the time was over; no promise was seen broken.
        case inconclusive([String])
        case broken([String])
    }

    let day: DemoDay
    let audit: JournalAudit
    let census: DemoCensus
    let kill: DemoKill?
    let campaign: Campaign
    let isSettled: Bool
    /// Where the simulator listens.
    let port: UInt16
    let seconds: Duration

    /// Jobs that Redis calls accepted or done although no request of theirs was taken.
    private(set) var neverTaken: [String] = []
    /// Jobs of which a request was taken although Redis holds them for unsent or refused, and ids of requests that were
    /// taken although no job knows them.
    private(set) var takenUnknown: [String] = []
    /// Requests that the app whose addendum has lapsed sent until it was paused.
    private(set) var requestsOfLapsed = 0

    init(
        day: DemoDay, journal: [UInt8], census: DemoCensus, kill: DemoKill?, campaign: Campaign, isSettled: Bool,
        port: UInt16, seconds: Duration
    ) {
        self.day = day
        self.census = census
        self.kill = kill
        self.campaign = campaign
        self.isSettled = isSettled
        self.port = port
        self.seconds = seconds
        audit = JournalAudit(reading: journal)
        let entries = journal.split(separator: UInt8(ascii: "\n")).compactMap { line -> JournalEntry? in
            guard case .arrival(let entry) = JournalLine(reading: Array(line)) else { return nil }
            return entry
        }
        requestsOfLapsed = entries.count { $0.bundleId == DemoApp.podcasts.bundleId }
        compare(taken: Set(entries.filter(\.isProcessed).compactMap { $0.referenceId?.lowercased() }))
    }

    private mutating func compare(taken: Set<String>) {
        for record in census.records.values.sorted(by: { $0.id < $1.id }) {
            let isTaken = taken.contains(record.referenceId.text)
            switch record.state {
            case .accepted, .done: if !isTaken { neverTaken.append(record.id) }
            // Apple may know more than we do, as long as we know that we don't know.
            case .sending, .unclear: break
            default: if isTaken, !record.isOpen { takenUnknown.append(record.id) }
            }
        }
        takenUnknown += taken.subtracting(census.records.values.map(\.referenceId.text)).sorted()
    }

    // MARK: Numbers

    var accepted: Int { audit.endings["200", default: 0] }
    var twice: Int { audit.refundsTakenTwice.count }
    var mostInASecond: Int { audit.rates.map(\.mostInASecond).max() ?? 0 }

    var paused: AppOverview? { census.overviews[.podcasts].flatMap { $0.paused == nil ? nil : $0 } }
    /// Jobs of the paused app that no attempt was counted against, and that can be sent as if nothing had been.
    var waitingOfPaused: Int {
        day.jobs.count { job in
            guard job.app == .podcasts else { return false }
            switch census.places[job.id] {
            case .unread, .state(.queued), .state(.waiting), .state(.unclear), .state(.sending): return true
            default: return false
            }
        }
    }
    var burnt: Int { day.jobs.count { $0.app == .podcasts } - waitingOfPaused }

    /// Dead letters by reason, the most first, and by what it is called, by Apple or by our checks.
    var reasons: [(reason: String, count: Int, names: [(name: String, count: Int)])] {
        let letters = Dictionary(grouping: census.letters, by: \.reason)
        return letters.map { reason, letters in
            let names = Dictionary(grouping: letters.compactMap(\.name)) { $0 }.map { ($0.key, $0.value.count) }
            return (reason, letters.count, names.sorted { $0.0 < $1.0 })
        }.sorted { ($1.count, $0.reason) < ($0.count, $1.reason) }
    }

    // MARK: Verdict

    var verdict: Verdict {
        let broken = promisesBroken
        if !broken.isEmpty { return .broken(broken) }
        let doubts = doubts
        return doubts.isEmpty ? .asPromised : .inconclusive(doubts)
    }

    private var promisesBroken: [String] {
        var broken: [String] = []
        if twice > 0 { broken.append("\(twice) refunds were taken twice") }
        if !census.lost.isEmpty { broken.append("lost: \(census.lost.joined(separator: ", "))") }
        for rate in audit.rates where rate.verdict == .breach {
            broken.append("\(rate.bundleId) sent \(rate.mostInASecond) requests within a second")
        }
        if audit.repeatsWithOtherBytes > 0 {
            broken.append("\(audit.repeatsWithOtherBytes) repeats had other bytes than the first request")
        }
        if !neverTaken.isEmpty { broken.append("accepted, but never taken: \(neverTaken.joined(separator: ", "))") }
        if !takenUnknown.isEmpty { broken.append("taken, but not known: \(takenUnknown.joined(separator: ", "))") }
        if audit.unreadableLines > 0 { broken.append("the journal has \(audit.unreadableLines) unreadable lines") }
        if isSettled, burnt > 0 { broken.append("\(burnt) jobs of the paused app were burnt") }
        if campaign.duplicates != 1 || campaign.refused != 1 {
            broken.append("kulanz enqueue did not see the line that comes twice, or the bad one")
        }
        return broken
    }

    private var doubts: [String] {
        var doubts: [String] = []
        for rate in audit.rates where rate.verdict == .inconclusive {
            doubts.append(
                "\(rate.bundleId): \(rate.mostInASecond) requests bear stamps within a second, but the simulator itself was "
                    + "held up for up to \(worstStall)")
        }
        if !isSettled {
            let left = census.overviews.filter { !$0.key.hasLapsed }.values.reduce(0) {
                $0 + $1.lanes.values.reduce(0, +) + $1.inFlight + $1.later + $1.followers
            }
            doubts.append("the time was over with \(left) jobs yet to be sent; they are in the queue, and none is lost")
        }
        if kill == nil { doubts.append("no worker had a job in its hands when one was to be killed") }
        return doubts
    }

    var worstStall: String { Duration.nanoseconds(audit.worstStallNs).inMilliseconds }
}

extension Duration {
    fileprivate var inMilliseconds: String { "\(Int((self / .milliseconds(1)).rounded())) ms" }
}
