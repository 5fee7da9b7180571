import EventLoop
import Foundation
import HTTP
import Lifecycle
import Measurement
import Redis
import Synchronization

/// How long a job takes from its producer to Apple when nothing else is to do.
struct IdleBench {
    let house: BenchHouse
    private var count: Int { house.scale.idleJobs }

    private static let columns = [
        BenchTable.Column(key: "p50", title: "p50 ms", digits: 2),
        BenchTable.Column(key: "p99", title: "p99 ms", digits: 2),
        BenchTable.Column(key: "worst", title: "worst ms", digits: 2),
        BenchTable.Column(key: "workerPercent", title: "idle workers %", digits: 1),
        BenchTable.Column(key: "redisPercent", title: "idle Redis %", digits: 1),
    ]

    private var method: String {
        """
        Two workers with production's settings have nothing to do. \(count) jobs come one by one, 210 to 290 ms apart, \
        so that the limit of five a second holds none back; milliseconds from before the XADD until a server in the \
        same process has read the head of the request. Then 3 s without jobs: how much of a core both workers and Redis \
        take. Sidekiq: from before perform_async to the first line of the job, every 50 ms.
        """
    }

    func run() async throws -> BenchTable {
        var table = BenchTable(part: .idle, method: method, columns: Self.columns)
        table.rows.append(
            try await house.repeated(
                "xadd", "XADD to Apple", against: Sidekiq.key, times: house.scale.longRepetitions
            ) { try await measure($0) })
        if let sidekiq = house.sidekiq {
            table.rows.append(
                try await house.repeated(Sidekiq.key, sidekiq.title, times: house.scale.longRepetitions) {
                    try await measure($0, sidekiq)
                })
        }
        return table
    }

    private func measure(_ rig: BenchRig) async throws -> [String: Double] {
        let (arrivals, arrived) = AsyncStream<ContinuousClock.Instant>.makeStream()
        let answer = try BenchAnswer.body()
        // On a loop of its own, so that producer and Apple don't wait for each other.
        let apple = HTTPServer(loop: EventLoop(), host: "127.0.0.1", port: 0) { request in
            arrived.yield(request.arrival)
            return .respond(status: 200, headers: [("Content-Type", "application/json")], body: answer)
        }
        try rig.configure(port: try await apple.start())
        let workers = try await rig.startWorkers()
        var arriving = arrivals.makeAsyncIterator()
        var delays: [Double] = []
        // The first finds no connection and the gate's first window; it isn't counted.
        for number in 0...count {
            try await rig.domain.sleep(for: .milliseconds(.random(in: 210...290)))
            let start = ContinuousClock.now
            try await rig.fill(number..<number + 1, .xadd)
            guard let arrival = await arriving.next() else { throw CancellationError() }
            if number > 0 { delays.append((arrival - start) / .milliseconds(1)) }
        }
        let figures = try await Self.figures(of: delays, workers: workers, on: rig)
        await apple.stop()
        return figures
    }

    private func measure(_ rig: BenchRig, _ sidekiq: Sidekiq) async throws -> [String: Double] {
        let workers = try await sidekiq.startWorkers(on: rig)
        _ = try await sidekiq.enqueue(20, inBulk: false, on: rig)
        try await rig.wait(for: sidekiq.title) { sidekiq.done(on: rig) >= 20 }
        return try await Self.figures(of: try await sidekiq.delays(count, on: rig), workers: workers, on: rig)
    }

    private static func figures(
        of delays: [Double], workers: [ChildProcess], on rig: BenchRig
    ) async throws -> [String: Double] {
        let consumption = try await Consumption(of: workers, on: rig)
        try await rig.domain.sleep(for: .seconds(3))
        // Of one job that lasts a second, CPU-seconds per thousand are thousandths of a core.
        let idle = try await consumption.figures(workers: workers.count, jobs: 3)
        var figures: [String: Double] = [:]
        figures["workerPercent"] = idle["workerCPU"].map { $0 / 10 }
        figures["redisPercent"] = idle["redisCPU"].map { $0 / 10 }
        guard let sample = Sample(delays) else { return figures }
        figures["p50"] = sample.percentile(0.5)
        figures["p99"] = sample.percentile(0.99)
        figures["worst"] = sample.most
        return figures
    }
}
