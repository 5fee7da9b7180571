import AppStoreSimulator
import Queue
import Refunds

/// What happened to some jobs: Apple's side from the simulator's journal, ours from Redis.
///
/// *Paid twice by us* means: two arrivals that Apple processed, for one job's SKU of one transaction, under different
/// reference ids. A repeat under the same id is what Apple's own rule asks for after a time-out; an Apple that then
/// processes it a second time (`process-twice`) breaks that rule itself, and no client can do better than keep the id.
struct Books {
    let jobs: [TestJob]
    let records: [String: JobRecord]
    let entries: [JournalEntry]
    /// What still lies in a lane or is leased.
    let leftovers: [String]
    let report: JournalAudit

    /// A job's arrivals at Apple, in their order.
    func arrivals(_ job: TestJob) -> [JournalEntry] {
        entries.filter { $0.transactionId == job.transaction && $0.bundleId == ProgramWorld.bundle(job.app) }
    }

    /// States in which a job may rest: ended, with a person, or waiting for Apple's word.
    static let resting: Set<JobState> = [.accepted, .done, .dead, .held, .unclear]

    /// Everything that breaks an invariant, in words; empty when all is well.
    var breaches: [String] {
        let byTransaction = Dictionary(grouping: entries) { "\($0.bundleId ?? "")/\($0.transactionId ?? "")" }
        var found = leftovers.map { "left over: \($0)" }
        for job in jobs {
            let arrivals = byTransaction["\(ProgramWorld.bundle(job.app))/\(job.transaction)"] ?? []
            found += Self.breaches(of: job, records[job.key], arrivals)
        }
        for rate in report.rates where rate.verdict == .breach {
            found.append("\(rate.mostInASecond) requests of \(rate.bundleId) in one second, \(rate.allowed) allowed")
        }
        if report.repeatsWithOtherBytes > 0 { found.append("\(report.repeatsWithOtherBytes) repeats had other bytes") }
        return found
    }

    private static func breaches(of job: TestJob, _ record: JobRecord?, _ arrivals: [JournalEntry]) -> [String] {
        guard let record else { return ["\(job.key) is lost"] }
        var found: [String] = []
        if !resting.contains(record.state) { found.append("\(job.key) is left \(record.state.rawValue)") }
        if record.state == .accepted, !arrivals.contains(where: \.isProcessed) {
            found.append("\(job.key) is accepted, but Apple never processed it")
        }
        let read = arrivals.filter { $0.referenceId != nil }
        let paid = Set(read.filter(\.isProcessed).compactMap(\.referenceId))
        if paid.count > 1 { found.append("\(job.key) is paid twice, under \(paid.sorted())") }
        for (earlier, later) in zip(read, read.dropFirst()) where earlier.referenceId != later.referenceId {
            let ofEarlier = read.filter { $0.referenceId == earlier.referenceId }
            if ofEarlier.count > 1 || !earlier.isDefiniteRefusal {
                found.append("\(job.key) changed its id while \(earlier.referenceId ?? "") was open")
            }
        }
        return found
    }

    /// How many of the jobs rest in each state.
    var states: [JobState: Int] {
        Dictionary(grouping: jobs) { records[$0.key]?.state ?? .discarded }.mapValues(\.count)
    }

    /// Attempts whose worker was lost, over all jobs.
    var lostAttempts: Int { records.values.reduce(0) { $0 + $1.attempts.count { $0.result == "lost" } } }

    var summary: String {
        let states = states.map { "\($0.value) \($0.key.rawValue)" }.sorted().joined(separator: ", ")
        return "\(jobs.count) jobs (\(states)), \(entries.count) arrivals, \(lostAttempts) lost with their worker, "
            + "\(report.requestsTakenTwiceUnderOneId) processed twice under one id, worst stall "
            + "\(report.worstStallNs / 1_000_000) ms"
    }
}

extension JournalEntry {
    /// An answer that, if it was the only send of its id, closes it: Apple said no, in so many words.
    fileprivate var isDefiniteRefusal: Bool {
        guard ending == .answered, !isProcessed, let status else { return false }
        return (400..<500).contains(status) && status != 408
    }
}
