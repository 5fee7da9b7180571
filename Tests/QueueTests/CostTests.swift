import Queue
import Redis
import Refunds
import Testing

/// What a job costs Redis; printed, so that a change can be seen. Only what doesn't depend on the machine is asserted.
@Suite struct CostTests {
    /// Seconds of processor time that the server has used.
    private func cpu(_ world: QueueWorld) async throws -> Double {
        let info = try await world.send("INFO", "cpu").string ?? ""
        return info.split(whereSeparator: \.isNewline).reduce(0) { sum, line in
            guard line.hasPrefix("used_cpu_user:") || line.hasPrefix("used_cpu_sys:") else { return sum }
            return sum + (line.split(separator: ":").last.flatMap { Double($0) } ?? 0)
        }
    }

    @Test(arguments: [true, false])
    func `a job's life takes few script calls`(isEnqueued: Bool) async throws {
        // The server's own clock: what a replacement costs would be counted otherwise.
        try await withQueue(scripts: .standard) { world in
            let count = 1000
            let rate = GateRate(requestsPerSecond: 1000, guardMilliseconds: 0)
            for number in 0..<count {
                if isEnqueued {
                    try await world.enqueue("case-\(number)")
                } else {
                    try await world.produce(world.text("case-\(number)", transaction: "T\(number)"))
                }
            }
            try await world.send("CONFIG", "RESETSTAT")
            let before = try await cpu(world)
            var (settled, calls) = (0, 0)
            while settled < count {
                let lease = try await world.lease(rate: rate)
                calls += 1
                for job in lease.jobs {
                    _ = try await world.queue.settle(job, httpStatus: 200, signedTransaction: "s", signedRenewal: nil)
                }
                settled += lease.jobs.count
                calls += lease.jobs.count
                guard !lease.raw.isEmpty else { continue }
                let judged = try lease.raw.map { entry in
                    let text = try #require(entry.job)
                    let job = try Job.validate(text, app: world.rules, from: .lane(entry.priority)).get()
                    return (entry, Judgement.job(job, text: text))
                }
                _ = try await world.queue.adopt(judged)
                calls += 1
            }
            let stats = try await world.send("INFO", "commandstats").string ?? ""
            var micros = 0
            for line in stats.split(whereSeparator: \.isNewline)
            where line.hasPrefix("cmdstat_evalsha:") || line.hasPrefix("cmdstat_eval:") {
                let used = line.split(separator: ",").first { $0.hasPrefix("usec=") }
                micros += used.flatMap { Int($0.dropFirst(5)) } ?? 0
            }
            let perJob = Double(calls) / Double(count)
            let origin =
                isEnqueued ? "enqueued (without the enqueue)" : "raw (with adoption)"
            let seconds = try await cpu(world) - before
            print(
                """
                \(origin): \(perJob) calls a job, \(micros / count) µs a job by commandstats (a busy machine adds to it), \
                \(Int(seconds * 1_000_000) / count) µs of CPU a job with all of Redis' input and output
                """)
            #expect(perJob <= 3)
        }
    }
}
