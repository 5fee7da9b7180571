import Queue
import Refunds

/// The worker that is killed with -9 on the way, and what becomes of the jobs in its hands.
struct DemoKill: Sendable {
    /// As the demo counts its workers, from 1.
    let worker: Int
    let name: String
    /// Redis' clock, UNIX ms.
    let at: Int64
    /// The jobs whose requests were under way, by app.
    let held: [Holding]
    /// Of those, the ones that Apple had taken by then.
    let taken: Set<String>
    /// When each of its jobs was taken from the dead, and when another worker sent it again.
    private(set) var owned: [String: Int64] = [:]
    private(set) var sent: [String: Int64] = [:]
    private(set) var settledBefore: Set<String> = []

    struct Holding: Sendable {
        let app: DemoApp
        let id: String
    }

    init(worker: Int, name: String, at: Int64, held: [Holding], taken: Set<String>) {
        (self.worker, self.name, self.at, self.held, self.taken) = (worker, name, at, held, taken)
    }

    /// What it really took with it: an answer that came in the moment of the kill was still recorded.
    var lost: [Holding] { held.filter { !settledBefore.contains($0.id) } }
    var open: [Holding] { lost.filter { sent[$0.id] == nil } }
    var isOver: Bool { open.isEmpty }

    /// From the kill until the last of its jobs was taken from the dead.
    var ownedAgainAfter: Duration? { isOver ? owned.values.max().map { .milliseconds($0 - at) } : nil }

    /// From the kill until the last of them was sent again. That waits until the request of the dead can no longer be
    /// on its way.
    var sentAgainAfter: Duration? { isOver ? sent.values.max().map { .milliseconds($0 - at) } : nil }

    /// Takes a look at a job that the dead worker held.
    mutating func see(_ record: JobRecord) {
        let lost = record.attempts.firstIndex { $0.result == "lost" && ($0.endedAt ?? 0) >= at }
        if let lost {
            owned[record.id] = record.attempts[lost].endedAt
            if record.attempts.indices.contains(lost + 1) { sent[record.id] = record.attempts[lost + 1].startedAt }
        } else if record.state != .sending {
            // Its answer was recorded in the moment of the kill.
            settledBefore.insert(record.id)
        }
    }
}
