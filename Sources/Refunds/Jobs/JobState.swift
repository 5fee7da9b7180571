/// Where a job stands. The diagram is in the contract; the lawful ways between the states are `Move`s.
package enum JobState: String, Sendable, Hashable, CaseIterable {
    case queued
    case sending
    /// A request may have arrived, and no answer can be trusted.
    case unclear
    /// A retry, or a start that was put off, is due later.
    case waiting
    /// Apple has an open refund for the transaction; its outcome is awaited.
    case held
    /// Apple answered 200. That no money has moved yet is the point of this word.
    case accepted
    case refunded
    case declined
    /// Accepted, but no outcome became known in time.
    case noOutcome
    /// A cancelled subscription needs no outcome.
    case done
    case dead
    case discarded
    /// Apple took the refund back.
    case reversed

    /// Nothing of ours goes on from here; `conclude` may still correct it when Apple says more.
    package var isFinal: Bool {
        switch self {
        case .refunded, .declined, .noOutcome, .done, .discarded, .reversed: true
        case .queued, .sending, .unclear, .waiting, .held, .accepted, .dead: false
        }
    }
}
