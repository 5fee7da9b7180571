import Queue
import Refunds

/// Waits until a job is where its caller wants to see it.
struct Waiting {
    private let goal: JobOption.Goal
    private let job: Submission.Accepted
    private let queue: JobQueue
    private let assembly: Assembly

    init(for goal: JobOption.Goal, of job: Submission.Accepted, in queue: JobQueue, _ assembly: Assembly) {
        self.goal = goal
        self.job = job
        self.queue = queue
        self.assembly = assembly
    }

    /// Where a job stands, as seen from somebody who waits for it.
    private enum Sight {
        case notYet, reached, failed
    }

    func run(within limit: Duration, _ isJSON: Bool) async throws {
        let clock = ContinuousClock()
        let end = clock.now + limit
        var last = job.state
        while true {
            let state = try await queue.state(of: job.id) ?? last
            if state != last, !isJSON { Output.note("\(job.id)  \(state.rawValue)") }
            last = state
            switch sight(of: state) {
            case .reached: return report(state, isJSON)
            case .failed:
                report(state, isJSON)
                throw CommandFailure(.badData, try await explanation(of: state))
            case .notYet: break
            }
            guard clock.now < end else {
                report(state, isJSON)
                throw CommandFailure(
                    .tryAgain, "\(job.id) is still \(state.rawValue); it goes on, see kulanz jobs show \(job.id)")
            }
            // A look costs Redis one small read, and a person notices no quarter of a second.
            try await assembly.sleep(min(.milliseconds(250), end - clock.now))
        }
    }

    private func sight(of state: JobState) -> Sight {
        switch state {
        case .queued, .sending, .unclear, .waiting, .held: .notYet
        case .accepted, .noOutcome: goal == .accepted ? .reached : .notYet
        case .refunded, .done: .reached
        case .declined, .reversed: goal == .accepted ? .reached : .failed
        case .dead, .discarded: .failed
        }
    }

    private func report(_ state: JobState, _ isJSON: Bool) {
        guard isJSON else { return Output.line("\(job.id)  \(state.rawValue)") }
        Output.line(
            Submission.Accepted(
                id: job.id, app: job.app, state: state, reference: job.reference, isDuplicate: job.isDuplicate
            ).json)
    }

    private func explanation(of state: JobState) async throws(QueueError) -> String {
        guard let letter = try await queue.deadLetter(job.id) else { return "\(job.id) is \(state.rawValue)" }
        let name = letter.name.map { " (\($0))" } ?? ""
        return "\(job.id) is a dead letter, \(letter.reason)\(name): \(letter.hint)"
    }
}
