import AppStoreSimulator
import Foundation
import Lifecycle
import Queue
import Redis
import Refunds
import TestSupport
import Testing

@Suite struct `Redis that fails` {
    @Test(arguments: ["replay-200", "reject-4000097", "process-twice"])
    func `is killed with answers on their way, and each is recorded once and sent once`(
        repeats: String
    ) async throws {
        try await withProgram { shape in
            shape.requestsPerSecond = 20
            shape.scenario = "repeats: '\(repeats)', latencyMs: 700"
        } _: { world in
            _ = try await world.workers(2)
            let jobs = TestJob.make(60)
            try await world.add(jobs)
            // Longer than Apple takes to answer: every answer comes while there is nobody to record it. The second time
            // also longer than the worker waits for one call.
            for (round, absence) in [(1, Duration.milliseconds(1200)), (2, .seconds(7))] {
                try await eventually("requests are under way") { await world.simulator.entries.count >= round * 10 }
                await world.redis.kill9()
                await pause(absence)
                try await world.redis.start()
            }
            #expect(try await world.workUntilIdle() == .code(0))
            let books = try await world.books(jobs)
            print("killed Redis twice: \(books.summary)")
            #expect(books.breaches == [])
            #expect(books.states == [.accepted: jobs.count])
            for job in jobs {
                #expect(books.arrivals(job).count == 1, "\(job.id) was sent again")
                #expect(books.records[job.key]?.attempts.map(\.result) == ["accepted"], "\(job.id)")
            }
            let answers = try await world.ledger("answer").filter { $0["result"] == "accepted" }
            #expect(answers.count == jobs.count)
        }
    }

    @Test func `forgets its connections and its scripts every second, and consumption goes on`() async throws {
        try await withProgram { shape in
            shape.requestsPerSecond = 12
            shape.scenario = "latencyMs: 150"
        } _: { world in
            _ = try await world.workers(2)
            let jobs = TestJob.make(100)
            try await world.add(jobs)
            for _ in 1...10 {
                await pause(.milliseconds(500))
                // Our own connection is among them.
                _ = try? await world.client.send(["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"])
                await pause(.milliseconds(500))
                _ = try? await world.client.send(["SCRIPT", "FLUSH", "SYNC"])
            }
            #expect(try await world.workUntilIdle() == .code(0))
            let books = try await world.books(jobs)
            print("ten times without connections and scripts: \(books.summary)")
            #expect(books.breaches == [])
            #expect(books.states == [.accepted: jobs.count])
            #expect(books.entries.count == jobs.count)
            #expect(books.lostAttempts == 0)
        }
    }

    @Test func `is full, and nothing is lost, nothing leaves, and all goes on afterwards`() async throws {
        try await withProgram { shape in
            shape.requestsPerSecond = 8
            shape.scenario = "latencyMs: 400"
        } _: { world in
            _ = try await world.workers(2)
            let jobs = TestJob.make(60)
            try await world.add(jobs)
            try await eventually("some are sent") { await world.simulator.entries.count >= 10 }
            _ = try await world.client.send(["CONFIG", "SET", "maxmemory", "1"])
            let atMost = await world.simulator.entries.count + 8
            await #expect(throws: RedisError.self, "a producer must hear it") {
                try await world.add(TestJob.make(1, from: 900))
            }
            // What was on the wire is answered and recorded although there is no room.
            try await eventually("what was under way is recorded") {
                let sent = await world.simulator.entries.count
                return try await world.ledger("answer").count == sent
            }
            await pause(.seconds(1))
            let sent = await world.simulator.entries.count
            #expect(sent < jobs.count && sent <= atMost)
            _ = try await world.client.send(["CONFIG", "SET", "maxmemory", "0"])
            #expect(try await world.workUntilIdle() == .code(0))
            let books = try await world.books(jobs)
            print("full in between, after \(sent) requests: \(books.summary)")
            #expect(books.breaches == [])
            #expect(books.states == [.accepted: jobs.count])
            #expect(books.entries.count == jobs.count)
        }
    }

    @Test func `loses a lane's group under load, and it is made again without a flood of words`() async throws {
        try await withProgram { shape in
            shape.requestsPerSecond = 20
        } _: { world in
            _ = try await world.workers(2)
            let jobs = TestJob.make(80)
            for batch in jobs.chunks(of: 10) {
                try await world.add(batch)
                _ = try? await world.client.send(["XGROUP", "DESTROY", "kulanz:{audiobooks}:jobs:normal", "fleet"])
                await pause(.milliseconds(200))
            }
            #expect(try await world.workUntilIdle() == .code(0))
            let books = try await world.books(jobs)
            print("group destroyed \(jobs.count / 10) times: \(books.summary), \(world.log.count) lines logged")
            #expect(books.breaches == [])
            #expect(books.states == [.accepted: jobs.count])
            #expect(books.entries.count == jobs.count)
            #expect(try await world.queue().deadLetters().isEmpty)
            // Two workers, eight destructions; a step of back-off may say one line.
            let complaints = world.log.filter { $0.contains("warning") || $0.contains("error") }
            #expect(complaints.count <= 16, "\(complaints.prefix(5))")
        }
    }

    @Test func `is emptied as a whole, and what comes afterwards is sent`() async throws {
        try await withProgram { shape in
            shape.requestsPerSecond = 20
        } _: { world in
            _ = try await world.workers(2)
            try await world.add(TestJob.make(20))
            try await eventually("some are sent") { await world.simulator.entries.count >= 5 }
            _ = try await world.client.send(["FLUSHALL"])
            let jobs = TestJob.make(10, from: 500)
            try await world.add(jobs)
            #expect(try await world.workUntilIdle() == .code(0))
            let books = try await world.books(jobs)
            #expect(books.breaches == [])
            #expect(books.states == [.accepted: jobs.count])
            // An answer to a job that the flush took has nowhere to go; a worker may say so, now and then.
            #expect(world.log.count { $0.contains("error") } <= 40)
        }
    }
}

extension Array {
    func chunks(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}

@Suite struct `An answer of Redis's that is lost` {
    /// The worker that asked never learns which jobs are its own; they were never sent, so nothing is burnt.
    @Test(arguments: [Duration.zero, .milliseconds(1500), .seconds(7)])
    func `hands leased jobs back unburnt, even if Redis stays away`(_ absence: Duration) async throws {
        try await withProgram { shape in
            shape.requestsPerSecond = 5
        } _: { world in
            let losses = Shared(absence > .zero ? 1 : 2)
            let cut = Once()
            let door = Shared<Relay?>(nil)
            let relay = Relay(.unix(world.folder["relay.sock"]), to: world.folder["redis.sock"]) { bytes in
                // Only an answer of lease bears bodies.
                guard bytes.contains("requestReferenceId") else { return .pass }
                let isLost = losses.change { left in
                    left -= 1
                    return left >= 0
                }
                guard isLost else { return .pass }
                if absence > .zero { door.value?.refuse() }
                cut.set()
                return .cut
            }
            door.value = relay
            defer { relay.stop() }
            let jobs = TestJob.make(10)
            try await world.add(jobs)
            let file = try world.configuration("relayed.json5", redis: world.folder["relay.sock"])
            let worker = try await world.worker(["--until-idle"], configuration: file)
            try await eventually("an answer is lost") { cut.hasHappened }
            await pause(absence)
            relay.admit()
            #expect(await worker.exit == .code(0))
            #expect(losses.value < 0)
            let books = try await world.books(jobs)
            #expect(books.breaches == [])
            #expect(books.states == [.accepted: jobs.count])
            #expect(books.entries.count == jobs.count)
            for job in jobs { #expect(books.records[job.key]?.attempts.map(\.result) == ["accepted"], "\(job.id)") }
        }
    }
}
