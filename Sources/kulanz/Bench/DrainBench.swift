import Lifecycle

/// How fast, and at what cost, two worker processes send what waits.
struct DrainBench {
    let house: BenchHouse
    private var scale: BenchScale { house.scale }

    private static let columns = [
        BenchTable.Column(key: "jobsPerSecond", title: "jobs/s"),
        BenchTable.Column(key: "workerCPU", title: "workers", digits: 3),
        BenchTable.Column(key: "redisCPU", title: "Redis", digits: 3),
        BenchTable.Column(key: "appleCPU", title: "Apple", digits: 3),
        BenchTable.Column(key: "residentMB", title: "RSS MiB"),
        BenchTable.Column(key: "proportionalMB", title: "PSS MiB"),
    ]

    private var method: String {
        """
        \(scale.jobs) jobs of \(BenchJob.bytes) bytes wait in a fresh Redis without persistence while two worker \
        processes are up and paused. From the resumption until the last job is recorded as accepted: jobs/s by the \
        clock; CPU-seconds per 1,000 jobs of both workers, of Redis and of the simulated Apple; at the end the memory \
        of both workers together. Five a second would hide what a job costs, so the gate is open: it does all its work, \
        with a window of a microsecond instead of a second, and one call leases at most \(scale.permitsPerCall) jobs, \
        where production's gives at most five. “null” answers each request inside the worker, after its token, bytes \
        and permit were made, and appends a byte to a file, as the peers' job does; “Apple” is the simulator, over HTTP \
        on the loopback, with each token verified. Sidekiq's job appends a byte to a file; two processes of ten \
        threads, from the first job done to the last.
        """
    }

    func run() async throws -> BenchTable {
        var table = BenchTable(part: .drain, method: method, columns: Self.columns)
        for transport in [BenchWorker.Transport.null, .http] {
            for way in BenchRig.Way.allCases {
                let name = transport == .null ? "null" : "Apple"
                table.rows.append(
                    try await house.repeated(
                        "\(name.lowercased())-\(way.rawValue)", "\(name), \(way.words)", against: Sidekiq.key
                    ) { try await drain($0, transport, way) })
            }
        }
        if let sidekiq = house.sidekiq {
            table.rows.append(
                try await house.repeated(Sidekiq.key, sidekiq.title) { try await drain($0, sidekiq) })
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
        let consumption = try await Consumption(of: workers + (apple.map { [$0] } ?? []), on: rig)
        try await rig.resume()
        try await rig.wait(for: "the drain") { try await rig.accepted() >= scale.jobs }
        return try await consumption.figures(workers: workers.count, jobs: scale.jobs)
    }

    private func drain(_ rig: BenchRig, _ sidekiq: Sidekiq) async throws -> [String: Double] {
        _ = try await sidekiq.enqueue(scale.jobs, inBulk: true, on: rig)
        let workers = try await sidekiq.startWorkers(on: rig)
        try await rig.wait(for: sidekiq.title) { sidekiq.done(on: rig) > 0 }
        let consumption = try await Consumption(of: workers, on: rig)
        let first = sidekiq.done(on: rig)
        try await rig.wait(for: sidekiq.title) { sidekiq.done(on: rig) >= scale.jobs }
        // A handful may be done before anybody can look; of fewer no rate can be told.
        guard scale.jobs - first >= scale.jobs / 2 else { return [:] }
        return try await consumption.figures(workers: workers.count, jobs: scale.jobs - first)
    }
}
