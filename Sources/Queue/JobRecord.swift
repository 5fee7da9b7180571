package import Refunds

/// All that is known of one job, as `jobs show` tells it.
package struct JobRecord: Sendable {
    package let id: String
    package let app: String
    package let state: JobState
    package let operation: Operation
    package let transactionId: String
    package let priority: Priority
    package let referenceId: ReferenceId
    package let round: Int
    /// UNIX milliseconds, as all times here.
    package let enqueuedAt: Int64
    /// When it may be sent, where that is known.
    package let dueAt: Int64?
    package let attempts: [Attempt]
    /// The job as its producer wrote it; nil once the record has shrunk.
    package let job: Job?
    /// The job that owns the purchase's line, while this one waits behind it.
    package let waitsFor: String?
    /// What a look-up at Apple has yet to answer.
    package let openQuestion: String?
    /// Whether a request under its present id may have arrived.
    package let isOpen: Bool
    /// The worker that is sending it.
    package let worker: String?
    /// What a person found out before the letter was discarded.
    package let finding: String?
}

/// One send, or one try to send.
package struct Attempt: Sendable, Hashable {
    package let number: Int
    package let referenceId: String
    package let startedAt: Int64
    /// Nil while it is under way.
    package let endedAt: Int64?
    package let result: String
    package let httpStatus: Int?
    package let errorCode: Int64?
    package let errorName: String?

    /// Reads one line of a job's record, as `log_with` in parts/attempts.lua writes it.
    init?(line: Substring) {
        let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard parts.count == 8, let number = Int(parts[0]), let started = Int64(parts[2]) else { return nil }
        self.number = number
        referenceId = String(parts[1])
        startedAt = started
        endedAt = Int64(parts[3])
        result = String(parts[4])
        httpStatus = Int(parts[5])
        errorCode = Int64(parts[6])
        errorName = parts[7].isEmpty ? nil : String(parts[7])
    }

    init(underWay number: Int, referenceId: String, startedAt: Int64) {
        self.number = number
        self.referenceId = referenceId
        self.startedAt = startedAt
        endedAt = nil
        result = "sending"
        (httpStatus, errorCode, errorName) = (nil, nil, nil)
    }
}
