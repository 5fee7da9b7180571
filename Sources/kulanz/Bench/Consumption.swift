import Lifecycle
import Measurement

/// What processes and Redis use between two moments.
struct Consumption {
    private let rig: BenchRig
    private let processes: [ChildProcess]
    private let usage: [ProcessUsage?]
    private let redisSeconds: Double
    private let start: ContinuousClock.Instant

    init(of processes: [ChildProcess], on rig: BenchRig) async throws {
        self.rig = rig
        self.processes = processes
        redisSeconds = try await rig.redisSeconds()
        usage = processes.map { ProcessUsage(of: $0.pid) }
        start = .now
    }

    /// What was used until now, for so many jobs: of the first `workers` processes, and of another one that is Apple.
    func figures(workers: Int, jobs: Int) async throws -> [String: Double] {
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let now = processes.map { ProcessUsage(of: $0.pid) }
        let redis = try await rig.redisSeconds() - redisSeconds
        let thousands = Double(jobs) / 1000
        var figures = ["jobsPerSecond": Double(jobs) / seconds, "redisCPU": redis / thousands]
        let used = zip(usage, now).compactMap { before, after in
            before.flatMap { before in after.map { $0.cpuSeconds - before.cpuSeconds } }
        }
        guard used.count == processes.count else { return figures }
        figures["workerCPU"] = used.prefix(workers).reduce(0, +) / thousands
        if used.count > workers { figures["appleCPU"] = used[workers] / thousands }
        let memory = now.prefix(workers).compactMap { $0?.memory }
        guard memory.count == workers else { return figures }
        figures["residentMB"] = Double(memory.reduce(0) { $0 + $1.resident }) / 1_048_576
        figures["proportionalMB"] = Double(memory.reduce(0) { $0 + $1.proportional }) / 1_048_576
        return figures
    }
}
