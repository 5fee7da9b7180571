package import Refunds

/// What one call of `lease` gave.
package struct Lease: Sendable {
    /// Redis' clock when the permits were given, UNIX microseconds. Also the source of the provider token's `iat`.
    package let nowMicroseconds: Int64
    /// When to ask again if nothing rings before, on Redis' clock.
    package let nextMicroseconds: Int64?
    /// There is more to do than one call may: ask again at once.
    package let hasMore: Bool
    package let pausedFor: String?
    package let blockedUntilMicroseconds: Int64?
    package let jobs: [LeasedJob]
    package let raw: [RawEntry]
    /// A reference whose job was not found; nothing was moved for it.
    package let missing: String?
    /// Alarms of the app that no worker has told yet.
    package let untoldAlarms: Int
    /// A job that has cost two leases waits for a worker that does nothing else meanwhile.
    package let holdsJobThatMustBeAlone: Bool
    /// A job whose data raised an error, and which. It is tried again in half a minute.
    package let ailment: String?

    /// How long to wait before asking again.
    package var wait: Duration? {
        nextMicroseconds.map { .microseconds(max(0, $0 - nowMicroseconds)) }
    }
}

/// A job that left its lane together with its permit.
package struct LeasedJob: Sendable, Hashable {
    package let id: String
    /// Rises with each lease; whoever bears a lower one can't move the job any more.
    package let fence: String
    package let referenceId: ReferenceId
    package let round: Int
    /// What the retry policy counts: this send included, 429s and unsent ones not.
    package let attempts: Int
    /// Departures of this reference id, this one included.
    package let sends: Int
    /// Earlier sends of this id that ended without an answer.
    package let unclearSends: Int
    /// UNIX milliseconds.
    package let firstSentAt: Int64
    package let operation: Operation
    package let transactionId: String
    /// Apple's body, the exact bytes of every send of this id.
    package let body: [UInt8]
    /// Redis' clock, UNIX microseconds.
    package let departedMicroseconds: Int64
    package let priority: Priority
    package let lostLeases: Int
    package let contentDigest: String

    /// Whether it may be what killed its workers: then it runs alone in its process.
    package var mustBeAlone: Bool { lostLeases >= 2 }

    /// Whether a request under this id may already have arrived: then a new id could refund twice.
    package var isOpen: Bool { unclearSends > 0 }
}

/// An entry that a producer added by itself and that nobody has judged yet.
package struct RawEntry: Sendable, Hashable {
    package let priority: Priority
    package let entryId: String
    /// Names and values as they came, bytes and order kept.
    package let fields: [[UInt8]]

    package init(priority: Priority, entryId: String, fields: [[UInt8]]) {
        self.priority = priority
        self.entryId = entryId
        self.fields = fields
    }

    /// The job's text, if the entry has one.
    package var job: [UInt8]? { value(of: "job") }

    /// The id of a job in Redis, if the entry is such a reference and nothing else.
    package var reference: String? {
        guard fields.count == 2, let id = value(of: "id") else { return nil }
        return String(validating: id, as: UTF8.self)
    }

    private func value(of name: String) -> [UInt8]? {
        for index in stride(from: 0, to: fields.count - 1, by: 2) where fields[index].elementsEqual(name.utf8) {
            return fields[index + 1]
        }
        return nil
    }
}
