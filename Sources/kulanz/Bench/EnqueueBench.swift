import Foundation
import Lifecycle
import Measurement
import Redis

/// How many jobs one producer gets into the queue.
struct EnqueueBench {
    let house: BenchHouse
    private var jobs: Int { house.scale.jobs }

    private static let columns = [
        BenchTable.Column(key: "jobsPerSecond", title: "jobs/s"),
        BenchTable.Column(key: "producerCPU", title: "producer", digits: 3),
        BenchTable.Column(key: "redisCPU", title: "Redis", digits: 3),
    ]

    private var method: String {
        """
        One producer with one connection puts \(jobs) jobs into an empty queue; CPU-seconds per 1,000 jobs of the \
        producer and of Redis. “Single” waits for each answer before the next, “bulk” has 500 on their way (Sidekiq: \
        1,000 a call). XADD sends the producer's text as it is; enqueue validates each job and answers with its \
        reference id; “kulanz enqueue” is the command, its start included, reading a file of JSON Lines.
        """
    }

    func run() async throws -> BenchTable {
        var table = BenchTable(part: .enqueue, method: method, columns: Self.columns)
        for way in BenchRig.Way.allCases {
            for inBulk in [false, true] {
                let (name, pace) = (way == .xadd ? "XADD" : "enqueue", inBulk ? "bulk" : "single")
                table.rows.append(
                    try await house.repeated(
                        "\(way.rawValue)-\(pace)", "\(name), \(pace)", against: "\(Sidekiq.key)-\(pace)"
                    ) { try await produce($0, way, inBulk: inBulk) })
            }
        }
        table.rows.append(
            try await house.repeated("command", "kulanz enqueue FILE", against: "\(Sidekiq.key)-single") {
                try await runCommand($0)
            })
        if let sidekiq = house.sidekiq {
            for inBulk in [false, true] {
                let way = inBulk ? "bulk" : "single"
                table.rows.append(
                    try await house.repeated("\(Sidekiq.key)-\(way)", "\(sidekiq.title), \(way)") { rig in
                        try await measured(on: rig) { try await sidekiq.enqueue(jobs, inBulk: inBulk, on: rig) }
                    })
            }
        }
        return table
    }

    private func produce(_ rig: BenchRig, _ way: BenchRig.Way, inBulk: Bool) async throws -> [String: Double] {
        try await measured(on: rig) {
            let own = ProcessInfo.processInfo.processIdentifier
            let (start, before) = (ContinuousClock.now, ProcessUsage(of: own)?.cpuSeconds)
            try await rig.fill(0..<jobs, way, atOnce: inBulk ? 500 : 1)
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            let after = ProcessUsage(of: own)?.cpuSeconds
            return (seconds, after.flatMap { after in before.map { after - $0 } })
        }
    }

    private func runCommand(_ rig: BenchRig) async throws -> [String: Double] {
        try rig.configure()
        let file = "\(rig.folder)/jobs.jsonl"
        let lines = (0..<jobs).map { BenchJob.line($0) }
        try (lines.joined(separator: "\n") + "\n").write(toFile: file, atomically: true, encoding: .utf8)
        return try await measured(on: rig) {
            let start = ContinuousClock.now
            let child = try await rig.troupe.start(
                ["enqueue", file, "--config", "\(rig.folder)/kulanz.json5"], log: "\(rig.folder)/enqueue.log")
            guard await child.exit == .code(0) else {
                throw BenchFailure("kulanz enqueue failed. \(Troupe.lastWords(in: "\(rig.folder)/enqueue.log"))")
            }
            return ((ContinuousClock.now - start) / .seconds(1), nil)
        }
    }

    private func measured(
        on rig: BenchRig, _ produce: () async throws -> (seconds: Double, cpuSeconds: Double?)
    ) async throws -> [String: Double] {
        let before = try await rig.redisSeconds()
        let (seconds, cpuSeconds) = try await produce()
        let redis = try await rig.redisSeconds() - before
        let thousands = Double(jobs) / 1000
        var figures = ["jobsPerSecond": Double(jobs) / seconds, "redisCPU": redis / thousands]
        figures["producerCPU"] = cpuSeconds.map { $0 / thousands }
        return figures
    }
}
