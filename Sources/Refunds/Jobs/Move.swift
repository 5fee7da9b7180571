/// What can happen to a job; each is one script, and both bear the same name.
package enum Move: String, Sendable, Hashable, CaseIterable {
    /// A producer's job comes in.
    case enqueue
    /// A raw entry of a stream, checked, becomes a job, or a dead letter.
    case adopt
    /// A worker takes it together with a permit.
    case lease
    case renew
    /// Apple's 200 is recorded; a late one of a lost lease too.
    case settle
    /// It is tried again later, under the same id or a new one.
    case postpone
    /// Apple has an open refund for it.
    case hold
    case bury
    /// Unsent work goes back to the front.
    case release
    /// A dead worker's job is owned again.
    case reclaim
    /// A person takes back what was not sent.
    case withdraw
    /// A person sends a dead letter on its way again.
    case redrive
    /// A person gives a dead letter up.
    case discard
    /// A 429 stops the app; the job waits.
    case block
    /// The app is paused by an answer; the job waits.
    case pause
    /// A verified notification or look-up, or a person's finding, decides.
    case conclude

    /// The lawful ways, from where (nil: not yet a job) to where: the contract's section 2 as one table.
    ///
    /// What comes due under `later` is queued and leased within one script, so `waiting` and `unclear` lead to
    /// `sending` without a stop between them.
    package static let lawful: [Move: [Way]] = [
        .enqueue: ways(from: [nil], to: [.queued, .waiting]),
        .adopt: ways(from: [nil], to: [.queued, .waiting, .dead]),
        .lease: ways(from: [.queued, .waiting, .unclear], to: [.sending]),
        .renew: ways(from: [.sending], to: [.sending]),
        .settle: ways(from: [.sending, .queued, .waiting, .unclear, .dead], to: [.accepted, .done]),
        .postpone: ways(from: [.sending], to: [.waiting, .unclear]),
        .hold: ways(from: [.sending], to: [.held]),
        .bury: ways(from: [.sending, .queued, .waiting, .unclear, .held], to: [.dead]),
        .release: ways(from: [.sending, .unclear], to: [.queued]),
        .reclaim: ways(from: [.sending], to: [.queued, .waiting, .unclear, .dead]),
        .withdraw: ways(from: [.queued, .waiting], to: [.dead]),
        .redrive: ways(from: [.dead], to: [.queued, .waiting]),
        .discard: ways(from: [.dead], to: [.discarded]),
        .block: ways(from: [.sending], to: [.queued, .waiting, .unclear]),
        .pause: ways(from: [.sending], to: [.queued, .waiting, .unclear]),
        .conclude: ways(from: [.accepted], to: [.refunded, .declined, .noOutcome])
            // Which of these a look-up or a notification finds while the id is open.
            + ways(from: [.unclear], to: [.accepted, .refunded, .declined, .queued, .dead, .done])
            + ways(from: [.sending, .queued, .waiting], to: [.refunded, .declined])
            + ways(from: [.held], to: [.queued, .refunded, .dead])
            // Apple's word comes late, yet it counts.
            + ways(from: [.dead, .noOutcome], to: [.refunded, .declined])
            + ways(from: [.refunded], to: [.reversed]),
    ]

    package struct Way: Sendable, Hashable {
        package let from: JobState?
        package let to: JobState
    }

    package func isLawful(from: JobState?, to: JobState) -> Bool {
        Self.lawful[self]?.contains(Way(from: from, to: to)) ?? false
    }

    private static func ways(from sources: [JobState?], to targets: [JobState]) -> [Way] {
        sources.flatMap { source in targets.map { Way(from: source, to: $0) } }
    }
}
