import Refunds

/// What concerns the app rather than one of its jobs: pauses, suspects, 401s, alarms.
extension Model {
    /// One answer of a run: the letter is told by how many times its job had died.
    struct Sight {
        let code: Int64
        let transaction: String
        let job: String
        let death: Int
        let at: Int64
    }

    struct Run {
        let length: Int
        /// Nil: in a row, however long it takes.
        let within: Int64?
        let reason: String
    }

    /// Something to be told, and who has taken it upon itself.
    struct Untold {
        let kind: String
        var holder: String?
    }

    static let runs: [Int64: Run] = [
        4_000_135: Run(length: 3, within: nil, reason: "operationNotAllowed"),
        4_030_010: Run(length: 3, within: nil, reason: "subscriptionNotEligible"),
        4_040_010: Run(length: 5, within: nil, reason: "transactionsNotFound"),
        4_030_020: Run(length: 3, within: 3_600_000_000, reason: "insufficientFunds"),
    ]

    var paused: Bool { pausedFor != nil }

    mutating func raise(_ kind: String) { alarms.append(Untold(kind: kind)) }

    mutating func book(_ kind: String) { events[kind, default: 0] += 1 }

    /// Whether the app was not paused before.
    mutating func pause(_ reason: String) -> Bool {
        guard !paused else { return false }
        pausedFor = reason
        pauses += 1
        suspects = []
        refusedBy = nil
        raise("paused")
        book("paused")
        return true
    }

    /// Whether the app was paused before.
    mutating func resume() -> Bool {
        guard paused else { return false }
        pausedFor = nil
        raise("resumed")
        book("resumed")
        return true
    }

    /// A fresh token was refused, too. Nil while a second worker has to see the same.
    mutating func refuse(_ reason: String, seenBy worker: String?) -> Bool? {
        if let worker, !paused {
            guard let first = refusedBy, first != worker, refusedAt + 300_000_000 > now else {
                refusedBy = worker
                refusedAt = now
                return nil
            }
        }
        return pause(reason)
    }

    /// A letter was written, or a success settled (nil): a run goes on, ends, or pauses the app.
    mutating func suspect(_ id: String, _ code: Int64?) {
        guard let code, let run = Self.runs[code], let job = jobs[id] else {
            suspects = []
            return
        }
        let number = pauses
        if pausedFor == run.reason { return change(id) { $0.pause = number } }
        let isOfTime = run.within != nil
        var seen = (isOfTime ? funds : suspects).filter {
            $0.code == code && $0.transaction != job.transaction && $0.at >= now - (run.within ?? now)
        }
        seen.append(Sight(code: code, transaction: job.transaction, job: id, death: job.deaths, at: now))
        let isRun = seen.count >= run.length
        if isOfTime { funds = isRun ? [] : seen } else { suspects = isRun ? [] : seen }
        guard isRun, pause(run.reason) else { return }
        let pause = pauses
        for sight in seen { change(sight.job) { if $0.state == "dead", $0.deaths == sight.death { $0.pause = pause } } }
    }
}
