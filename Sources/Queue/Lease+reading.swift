import Redis
import Refunds

extension Lease {
    /// Reads the answer of lease.lua; nil if it is none.
    init?(_ answer: RedisValue) {
        guard let parts = answer.array, parts.count == 11,
            let now = parts[0].integer, let more = parts[2].integer,
            let paused = parts[3].string, let jobs = parts[5].array, let raw = parts[6].array,
            let missing = parts[7].string, let alarms = parts[8].integer, let alone = parts[9].integer,
            let ailment = parts[10].string
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
        self.ailment = ailment.isEmpty ? nil : ailment
        guard self.jobs.count == jobs.count, self.raw.count == raw.count else { return nil }
    }
}

extension LeasedJob {
    init?(_ value: RedisValue) {
        guard let parts = value.array, parts.count == 7, let id = parts[0].string, let fence = parts[1].string,
            let reference = parts[2].string.flatMap({ ReferenceId($0) }), let transaction = parts[3].string,
            let digest = parts[4].digest, let body = parts[5].bytes.flatMap({ Job.body($0, with: reference) }),
            let words = parts[6].words, words.count == 9
        else { return nil }
        let numbers = words.prefix(7).compactMap { Int64($0) }
        guard numbers.count == 7, let operation = Operation(rawValue: words[7]), let lane = Priority(rawValue: words[8])
        else { return nil }
        self.init(
            id: id, fence: fence, referenceId: reference, round: Int(numbers[0]), attempts: Int(numbers[1]),
            sends: Int(numbers[2]), unclearSends: Int(numbers[3]), firstSentAt: numbers[4], operation: operation,
            transactionId: transaction, body: body, departedMicroseconds: numbers[5],
            priority: lane, lostLeases: Int(numbers[6]), contentDigest: digest)
    }
}

extension RawEntry {
    init?(_ value: RedisValue) {
        guard let parts = value.array, parts.count >= 2, let lane = parts[0].string.flatMap(Priority.init),
            let entry = parts[1].string
        else { return nil }
        self.init(priority: lane, entryId: entry, fields: parts.dropFirst(2).compactMap(\.bytes))
    }
}

extension RedisValue {
    /// What stands between the blanks. By bytes: whole characters would take longer than all the rest of a lease.
    fileprivate var words: [String]? {
        bytes?.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
    }
}
