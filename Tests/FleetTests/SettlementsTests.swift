import AppStoreSimulator
import EventLoop
import Queue
import Redis
import Refunds
import TestSupport
import Testing

@testable import Fleet

/// One after the other: each world more at a time takes from the permits of all others, which live for milliseconds.
@Suite(.serialized) struct `200s that come together` {
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

    @Test func `are recorded by few calls, each with its own, and keep none of each other back`() async throws {
        try await withFleet { world in
            var jobs = try await lease(23, in: world)
            let mail = Mail(world.queue, on: world.loop)
            // One call records sixteen at most. The first time loads the script.
            for (count, calls) in [(1, nil), (5, 1), (17, 2)] as [(Int, Int?)] {
                let some = Array(jobs.prefix(count))
                jobs.removeFirst(count)
                let purchase = RedisWord(world.queue.keys.purchase("2000\(some[count / 2].id)"))
                if count > 1 { try await spoil(purchase, in: world) }
                let before = try await scriptCalls(world)
                let found = await mail.handIn(some).map { try? $0.get() }
                if let calls { #expect(try await scriptCalls(world) - before == calls) }
                var expected: [Settlement?] = Array(repeating: .accepted, count: count)
                if count > 1 { expected[count / 2] = nil }
                #expect(found == expected)
                guard count > 1 else { continue }
                try await mend(purchase, in: world)
                let again = await mail.handIn(some).map { try? $0.get() }
                #expect(again.enumerated().allSatisfy { $0.element == ($0.offset == count / 2 ? .accepted : .already) })
                for job in some { #expect(try await world.queue.signed(job.id).transaction == "s-\(job.id)") }
            }
            #expect(jobs.isEmpty)
        }
    }

    @Test func `leave the slots free to others though one of them can't be recorded, which is recorded once it can`()
        async throws
    {
        try await withFleet { world in
            let worker = world.worker([try world.app()]) {
                $0.concurrency = 2
                $0.requestTimeout = .seconds(30)
                $0.untilIdle = false
            }
            let purchase = RedisWord(world.queue.keys.purchase("2000-slow-3000"))
            try await world.working([worker]) {
                try await world.add(FleetWorld.job("spoilt", transaction: "2000-slow-3000"))
                try await eventually("it is sent") { try await world.queue.show("spoilt")?.state == .sending }
                try await spoil(purchase, in: world)
                // Twice as many as there are slots.
                for number in 1...4 { try await world.add(FleetWorld.job("case-\(number)")) }
                try await eventually("its answer can't be recorded") {
                    world.logged("an answer waits for Redis") == 1
                }
                for number in 5...6 { try await world.add(FleetWorld.job("case-\(number)")) }
                try await eventually("all others are accepted") {
                    for number in 1...6 {
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
            #expect(await world.calls().count { $0.isProcessed } == 7)
        }
    }
}
