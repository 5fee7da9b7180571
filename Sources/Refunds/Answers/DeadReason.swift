/// Why a job is a dead letter. Stable names: people select by them.
package enum DeadReason: String, Sendable, Hashable, CaseIterable {
    // Before it was a job, or before it was sent.
    case invalid, conflict, alreadyRequested, referenceIdUsed, withdrawn
    // Apple said so.
    case rejected, unexpected, repeatedReferenceId, pendingRefund, notConfirmed
    // Nobody knows.
    case outcomeUnknown, attemptsUsed, workerLost
    /// A place in Redis named it, and its record was gone.
    case jobMissing

    /// What happened, in a sentence for a person.
    package var meaning: String {
        switch self {
        case .invalid: "the entry is no valid job"
        case .conflict: "a job with this id and other content exists"
        case .alreadyRequested: "another job has asked for a refund of this item already"
        case .referenceIdUsed: "the requestReferenceId that was given belongs to another job"
        case .withdrawn: "a person took the job back before it was sent"
        case .rejected: "Apple refused the request"
        case .unexpected: "Apple refused the request in a way that our own checks should have prevented"
        case .repeatedReferenceId: "Apple knows the requestReferenceId, though we know of no earlier send"
        case .pendingRefund: "another refund of the transaction was open, and no outcome came in time"
        case .notConfirmed: "Apple says that the transaction is refunded, but a look-up doesn't confirm it"
        case .outcomeUnknown: "no answer of Apple could be trusted, and the time for trying again is over"
        case .attemptsUsed: "all attempts are used up"
        case .workerLost: "three workers in a row were lost while they held the job"
        case .jobMissing: "a lane named this job, but its record is not in Redis"
        }
    }

    /// What to do about it when Apple's error code doesn't say more.
    package var hint: String {
        switch self {
        case .invalid: "mend what the violations name and enqueue it again"
        case .conflict: "if this is another refund, give it an id of its own"
        case .alreadyRequested: "look at the other job first; if both are wanted, set allowRepeat to true"
        case .referenceIdUsed: "leave requestReferenceId out: the fleet makes one"
        case .withdrawn: "redrive it if it is wanted after all, else discard it"
        case .rejected: "read the code's meaning; mend the job and redrive it, or discard it"
        case .unexpected: "report this: the job passed our checks and Apple still refused it"
        case .repeatedReferenceId: "look the transaction up at Apple before anything else; then state what you found"
        case .pendingRefund: "look up what became of the other refund, then redrive or discard"
        case .notConfirmed: "look the transaction up at Apple; discard the job if the money went back"
        case .outcomeUnknown: "look the transaction up at Apple; a redrive repeats the same id and bytes"
        case .attemptsUsed: "find out why Apple never took it, then redrive"
        case .workerLost: "look the transaction up at Apple; a redrive repeats the same id and bytes"
        case .jobMissing: "enqueue it again if it is still wanted: the same id is made again"
        }
    }
}
