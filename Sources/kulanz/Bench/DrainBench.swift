import Foundation
import Lifecycle
import Measurement
import Redis

/// How fast, and at what cost, two worker processes send what waits.
struct DrainBench {
    let house: BenchHouse
    private var scale: BenchScale { house.scale }

    private static let columns = [
        BenchTable.Column(key: "jobsPerSecond", title: "jobs/s"),
        BenchTable.Column(key: "workerCPU", title: "workers", digits: 3),
        BenchTable.Column(key: "redisCPU", title: "Redis", digits: 3),
        BenchTable.Column(key: "appleCPU", title: "Apple", digits: 3),
        BenchTable.Column(key: "residentMB", title: "RSS MB"),
        BenchTable.Column(key: "proportionalMB", title: "PSS MB"),
    ]

    private var method: String {
        """
        \(scale.jobs) jobs of \(BenchJob.bytes) bytes wait in a fresh Redis without persistence while two worker \
        processes are up and paused; from the resumption until the last is recorded as accepted, jobs/s by the clock, \
        and CPU-seconds per 1,000 jobs of both workers, of Redis and of the simulated Apple; memory of both workers at \
        the end. The gate is open: it does its work with a window of a microsecond instead of a second, and a call \
        leases at most \(scale.permitsPerCall) jobs. "null" answers every request inside the worker, after the token \
        and the permit and the bytes were made, and appends a byte to a file, as the peers' job does; "Apple" is the \
        simulator in a process of its own, over HTTP on the loopback, with each token verified.
        """
    }

    func run() async throws -> BenchTable {
        var table = BenchTable(part: .drain, method: method, columns: Self.columns, rows: [])
        for transport in [BenchWorker.Transport.null, .http] {
            for way in BenchRig.Way.allCases {
                let name = transport == .null ? "null" : "Apple"
                table.rows.append(
                    try await house.repeated("\(name.lowercased())-\(way.rawValue)", "\(name), \(way.words)") {
                        try await BenchRig.use(in: house) { try await drain($0, transport, way) }
                    })
            }
        }
        return table
    }

    private func drain(
        _ rig: BenchRig, _ transport: BenchWorker.Transport, _ way: BenchRig.Way
    ) async throws -> [String: Double] {
        let apple = transport == .http ? try await rig.startSimulator(isWrittenDown: false) : nil
        if apple == nil { try rig.configure() }
        try await rig.pause()
        try await rig.fill(0..<scale.jobs, way)
        let workers = try await rig.startOpenWorkers(transport, permitsPerCall: scale.permitsPerCall)
        let processes = workers + (apple.map { [$0] } ?? [])
        let before = processes.map { ProcessUsage(of: $0.pid) }
        let redisBefore = try await rig.info("cpu").cpuSeconds
        let start = ContinuousClock.now
        try await rig.resume()
        try await rig.wait(for: "the drain") { try await rig.accepted() >= scale.jobs }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let redisAfter = try await rig.info("cpu").cpuSeconds
        let after = processes.map { ProcessUsage(of: $0.pid) }

        let thousands = Double(scale.jobs) / 1000
        var figures = [
            "jobsPerSecond": Double(scale.jobs) / seconds, "redisCPU": (redisAfter - redisBefore) / thousands,
        ]
        let used = zip(before, after).map { before, after in
            before.flatMap { before in after.map { $0.cpuSeconds - before.cpuSeconds } }
        }
        let count = workers.count
        let ofWorkers = used.prefix(count).compactMap(\.self)
        if ofWorkers.count == count { figures["workerCPU"] = ofWorkers.reduce(0, +) / thousands }
        if used.count > count, let ofApple = used[count] { figures["appleCPU"] = ofApple / thousands }
        let memory = after.prefix(count).compactMap { $0?.memory }
        if memory.count == count {
            figures["residentMB"] = Double(memory.reduce(0) { $0 + $1.resident }) / 1_048_576
            figures["proportionalMB"] = Double(memory.reduce(0) { $0 + $1.proportional }) / 1_048_576
        }
        return figures
    }
}
