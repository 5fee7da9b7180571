import AppStoreSimulator
import Foundation
import Lifecycle
import Queue
import Refunds

/// What becomes of the jobs of a worker that is killed with -9.
struct TakeoverBench {
    let house: BenchHouse
    private var jobs: Int { house.scale.takeoverJobs }

    private static let columns = [
        BenchTable.Column(key: "held", title: "held"),
        BenchTable.Column(key: "ownedAgain", title: "owned again s", digits: 1),
        BenchTable.Column(key: "sentAgain", title: "sent again s", digits: 1),
        BenchTable.Column(key: "lost", title: "lost"),
        BenchTable.Column(key: "takenTwice", title: "taken twice"),
    ]

    private var method: String {
        let timeouts = house.scale.hasShortTimeouts ? "a time-out of 3 s" : "production's settings"
        return """
            Two workers with \(timeouts), \(jobs) jobs, and an Apple that takes 2 s for an answer. The worker that sends \
            most is killed with -9. Seconds from the kill until another one owned the last of its jobs, and until it \
            had sent the last of them again with the same id and bytes, which waits until the request of the dead can \
            no longer be on its way (30 s in production). Lost: jobs that were never accepted; taken twice: refunds of \
            one item that Apple took twice.
            """
    }

    func run() async throws -> BenchTable {
        var table = BenchTable(part: .takeover, method: method, columns: Self.columns)
        table.rows.append(
            try await house.repeated("kill", "one of two killed", times: house.scale.longRepetitions) {
                try await measure($0)
            })
        return table
    }

    private func measure(_ rig: BenchRig) async throws -> [String: Double] {
        let worker = house.scale.hasShortTimeouts ? "requestTimeoutSeconds: 3, leaseSeconds: 5" : ""
        let apple = try await rig.startSimulator(latencyMs: 2000, worker: worker)
        try await rig.fill(0..<jobs, .xadd)
        let workers = try await rig.startWorkers()
        let (victim, held) = try await waitForVictim(among: workers, on: rig)
        await victim.kill(SIGKILL)
        let killed = try await rig.queue.now() / 1000
        let (owned, sent) = try await follow(held, since: killed, on: rig)
        try await rig.wait(for: "the rest of the jobs", within: .seconds(120)) { try await rig.accepted() >= jobs }
        let accepted = try await rig.accepted()
        await apple.stop()
        let audit = JournalAudit(reading: Array(try Data(contentsOf: URL(filePath: rig.journal))))
        return [
            "held": Double(sent.count), "ownedAgain": Double((owned.max() ?? killed) - killed) / 1000,
            "sentAgain": Double((sent.max() ?? killed) - killed) / 1000, "lost": Double(jobs - accepted),
            "takenTwice": Double(audit.refundsTakenTwice.count),
        ]
    }

    /// The worker that sends most, once one sends at least three, and the ids of its jobs.
    private func waitForVictim(
        among workers: [ChildProcess], on rig: BenchRig
    ) async throws -> (ChildProcess, [String]) {
        var found: (ChildProcess, [String])?
        try await rig.wait(for: "a worker that sends") {
            let byWorker = Dictionary(grouping: try await rig.queue.heldJobs(), by: \.worker)
            guard let (name, jobs) = byWorker.max(by: { $0.value.count < $1.value.count }), jobs.count >= 3,
                // A worker's name is host, process and salt.
                let pid = name.split(separator: "-").dropLast().last.flatMap({ Int32($0) }),
                let worker = workers.first(where: { $0.pid == pid })
            else { return false }
            found = (worker, jobs.map(\.id))
            return true
        }
        guard let found else { throw CancellationError() }
        return found
    }

    /// When each job of the dead was taken from it, and when it was sent again; UNIX ms. Jobs whose answer was recorded
    /// in the moment of the kill are in neither.
    private func follow(
        _ ids: [String], since killed: Int64, on rig: BenchRig
    ) async throws -> (owned: [Int64], sent: [Int64]) {
        var (owned, sent): ([Int64], [Int64]) = ([], [])
        for id in ids {
            try await rig.wait(for: "the takeover of \(id)", within: .seconds(120)) {
                guard let record = try await rig.queue.show(id) else { return false }
                guard
                    let lost = record.attempts.firstIndex(where: { $0.result == "lost" && ($0.endedAt ?? 0) >= killed })
                else { return record.state == .accepted }
                guard record.attempts.indices.contains(lost + 1) else { return false }
                owned.append(record.attempts[lost].endedAt ?? killed)
                sent.append(record.attempts[lost + 1].startedAt)
                return true
            }
        }
        return (owned, sent)
    }
}
