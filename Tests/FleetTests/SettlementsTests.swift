import AppStoreSimulator
import EventLoop
import Queue
import Redis
import Refunds
import TestSupport
import Testing

@testable import Fleet

@Suite struct `200s that come together` {
    /// Hands in all of them in one turn of the loop.
    private actor Mail {
        nonisolated let loop: EventLoop
        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
        private let settlements: Settlements

        init(_ queue: JobQueue, on loop: EventLoop) {
            self.loop = loop
            settlements = Settlements(queue: queue, loop: loop)
        }

        func handIn(_ jobs: [LeasedJob]) async -> [Result<Settlement, QueueError>] {
            var tasks: [Task<Result<Settlement, QueueError>, Never>] = []
            for job in jobs { tasks.append(Task { await self.settle(job) }) }
            var results: [Result<Settlement, QueueError>] = []
            for task in tasks { results.append(await task.value) }
            return results
        }

        private func settle(_ job: LeasedJob) async -> Result<Settlement, QueueError> {
            let success = Success(job, httpStatus: 200, signedTransaction: "s-\(job.id)", signedRenewal: nil)
            do throws(QueueError) {
                return .success(try await settlements.settle(success))
            } catch {
                return .failure(error)
            }
        }
    }

    private func lease(_ count: Int, in world: FleetWorld) async throws -> [LeasedJob] {
        for number in 1...count {
            let text = FleetWorld.job("case-\(number)")
            let job = try Job.validate(
                Array(text.utf8), app: AppRules(name: "audiobooks", environment: .production)
            ).get()
            _ = try await world.queue.enqueue(job)
        }
        var jobs: [LeasedJob] = []
        try await eventually("\(count) jobs are leased") {
            jobs += try await world.queue.lease(
                worker: "w", slots: count, rate: GateRate(requestsPerSecond: 50), lease: .seconds(60),
                requestTimeout: .seconds(30), runId: "run"
            ).jobs
            return jobs.count == count
        }
        return jobs
    }

    private func scriptCalls(_ world: FleetWorld) async throws -> Int {
        let lines = try await world.redis.send("INFO", "commandstats").string?.split(whereSeparator: \.isNewline) ?? []
        let line = try #require(lines.first { $0.hasPrefix("cmdstat_evalsha:calls=") })
        return try #require(Int(line.dropFirst("cmdstat_evalsha:calls=".count).prefix { $0 != "," }))
    }

    private func spoil(_ purchase: RedisWord, in world: FleetWorld) async throws {
        try await world.redis.send("RENAME", purchase, "aside{audiobooks}")
        try await world.redis.send("SET", purchase, "x")
    }

    private func mend(_ purchase: RedisWord, in world: FleetWorld) async throws {
        try await world.redis.send("DEL", purchase)
        try await world.redis.send("RENAME", "aside{audiobooks}", purchase)
    }

    /// One call records sixteen at most.
    @Test(arguments: [(1, 1), (7, 1), (16, 1), (17, 2), (33, 3)])
    func `are recorded by few calls, each with its own`(_ count: Int, calls: Int) async throws {
        try await withFleet { world in
            let jobs = try await lease(count, in: world)
            let mail = Mail(world.queue, on: world.loop)
            // Loads the script.
            #expect(await mail.handIn([jobs[0]]).map { try? $0.get() } == [.accepted])
            let before = try await scriptCalls(world)
            let found = await mail.handIn(jobs).map { try? $0.get() }
            #expect(found == [.already] + Array(repeating: .accepted, count: count - 1))
            #expect(try await scriptCalls(world) - before == calls)
            for job in jobs {
                #expect(try await world.queue.show(job.id)?.state == .accepted)
                #expect(try await world.queue.signed(job.id).transaction == "s-\(job.id)")
            }
        }
    }

    @Test func `keep none of each other back, whichever can't be recorded`() async throws {
        try await withFleet { world in
            let jobs = try await lease(5, in: world)
            let mail = Mail(world.queue, on: world.loop)
            let purchase = RedisWord(world.queue.keys.purchase("2000case-3"))
            try await spoil(purchase, in: world)
            #expect(
                await mail.handIn(jobs).map { try? $0.get() } == [.accepted, .accepted, nil, .accepted, .accepted])
            try await mend(purchase, in: world)
            #expect(await mail.handIn([jobs[2]]).map { try? $0.get() } == [.accepted])
        }
    }

    @Test func `leave the slots free to others though one of them can't be recorded, which is recorded once it can`()
        async throws
    {
        try await withFleet { world in
            let worker = world.worker([try world.app(rate: GateRate(requestsPerSecond: 20))]) {
                $0.concurrency = 4
                $0.requestTimeout = .seconds(30)
                $0.untilIdle = false
            }
            let purchase = RedisWord(world.queue.keys.purchase("2000-slow-3000"))
            try await world.working([worker]) {
                try await world.add(FleetWorld.job("spoilt", transaction: "2000-slow-3000"))
                try await eventually("it is sent") { try await world.queue.show("spoilt")?.state == .sending }
                try await spoil(purchase, in: world)
                // Three times as many as there are slots.
                for number in 1...12 { try await world.add(FleetWorld.job("case-\(number)")) }
                try await eventually("its answer can't be recorded") {
                    world.logged("an answer waits for Redis") == 1
                }
                for number in 13...24 { try await world.add(FleetWorld.job("case-\(number)")) }
                try await eventually("all others are accepted") {
                    for number in 1...24 {
                        guard try await world.queue.show("case-\(number)")?.state == .accepted else { return false }
                    }
                    return true
                }
                #expect(try await world.queue.show("spoilt")?.state == .sending)
                try await mend(purchase, in: world)
                try await eventually("it is accepted") { try await world.queue.show("spoilt")?.state == .accepted }
            }
            let record = try #require(try await world.queue.show("spoilt"))
            #expect(record.attempts.map(\.result) == ["accepted"])
            #expect(await world.calls().count { $0.isProcessed } == 25)
        }
    }
}
