import Redis
import Refunds

extension Lease {
    /// Reads the answer of lease.lua; nil if it is none.
    init?(_ answer: RedisValue) {
        guard let parts = answer.array, parts.count == 10,
            let now = parts[0].integer, let more = parts[2].integer,
            let paused = parts[3].string, let jobs = parts[5].array, let raw = parts[6].array,
            let missing = parts[7].string, let alarms = parts[8].integer, let alone = parts[9].integer
        else { return nil }
        nowMicroseconds = now
        nextMicroseconds = parts[1].integer
        hasMore = more != 0
        pausedFor = paused.isEmpty ? nil : paused
        blockedUntilMicroseconds = parts[4].integer
        self.jobs = jobs.compactMap(LeasedJob.init)
        self.raw = raw.compactMap(RawEntry.init)
        self.missing = missing.isEmpty ? nil : missing
        untoldAlarms = Int(alarms)
        holdsJobThatMustBeAlone = alone != 0
        guard self.jobs.count == jobs.count, self.raw.count == raw.count else { return nil }
    }
}

extension LeasedJob {
    init?(_ value: RedisValue) {
        guard let parts = value.array, parts.count == 15, let body = parts[10].bytes,
            let id = parts[0].string, let fence = parts[1].string,
            let reference = parts[2].string.flatMap({ ReferenceId($0) }),
            let round = parts[3].integer, let attempts = parts[4].integer, let sends = parts[5].integer,
            let unclear = parts[6].integer, let first = parts[7].integer,
            let operation = parts[8].string.flatMap(Operation.init), let transaction = parts[9].string,
            let departed = parts[11].integer, let lane = parts[12].string.flatMap(Priority.init),
            let lost = parts[13].integer, let digest = parts[14].digest
        else { return nil }
        self.init(
            id: id, fence: fence, referenceId: reference, round: Int(round), attempts: Int(attempts), sends: Int(sends),
            unclearSends: Int(unclear), firstSentAt: first, operation: operation, transactionId: transaction,
            body: body,
            departedMicroseconds: departed, priority: lane, lostLeases: Int(lost), contentDigest: digest)
    }
}

extension RawEntry {
    init?(_ value: RedisValue) {
        guard let parts = value.array, parts.count == 3, let lane = parts[0].string.flatMap(Priority.init),
            let entry = parts[1].string, let fields = parts[2].array
        else { return nil }
        self.init(priority: lane, entryId: entry, fields: fields.compactMap(\.bytes))
    }
}
