import Refunds
import Testing

@Suite struct MoveTests {
    /// The contract's diagram, section 2, as steps that some move must make.
    @Test(arguments: [
        (JobState.queued, JobState.sending), (.sending, .accepted), (.accepted, .refunded), (.accepted, .declined),
        (.accepted, .noOutcome), (.sending, .unclear), (.unclear, .accepted), (.unclear, .refunded),
        (.unclear, .declined), (.unclear, .queued), (.unclear, .dead), (.sending, .done), (.sending, .waiting),
        (.waiting, .sending), (.sending, .held), (.held, .queued), (.held, .refunded), (.held, .dead),
        (.queued, .dead), (.waiting, .dead), (.sending, .dead), (.dead, .queued), (.dead, .discarded),
        (.refunded, .reversed),
    ])
    func `each arrow of the contract is some move's`(_ from: JobState, _ to: JobState) {
        #expect(Move.allCases.contains { $0.isLawful(from: from, to: to) })
    }

    @Test func `every move has its ways`() {
        #expect(Move.allCases.allSatisfy { Move.lawful[$0]?.isEmpty == false })
    }

    @Test func `only verified outcomes make refunded, declined and reversed`() {
        for move in Move.allCases where move != .conclude {
            let targets = (Move.lawful[move] ?? []).map(\.to)
            #expect(!targets.contains { [.refunded, .declined, .reversed, .noOutcome].contains($0) }, "\(move)")
        }
    }

    @Test func `what has ended never comes back to be sent`() {
        let ended = JobState.allCases.filter(\.isFinal)
        let living: Set<JobState> = [.queued, .sending, .waiting, .unclear, .held, .accepted]
        for state in ended {
            #expect(!Move.allCases.contains { move in living.contains { move.isLawful(from: state, to: $0) } })
        }
    }

    @Test func `an accepted job is never sent again`() {
        for move in Move.allCases {
            for target in [JobState.queued, .sending, .waiting, .unclear] {
                #expect(!move.isLawful(from: .accepted, to: target), "\(move)")
            }
        }
    }

    @Test func `every state can be reached from a producer's job`() {
        var reached: Set<JobState> = []
        var frontier: Set<JobState?> = [nil]
        while !frontier.isEmpty {
            let next = Set(Move.lawful.values.joined().filter { frontier.contains($0.from) }.map(\.to))
            frontier = Set(next.subtracting(reached).map(Optional.some))
            reached.formUnion(next)
        }
        #expect(reached == Set(JobState.allCases))
    }
}
