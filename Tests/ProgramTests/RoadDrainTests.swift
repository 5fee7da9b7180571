import AppStoreSimulator
import Foundation
import Lifecycle
import Queue
import Redis
import Refunds
import TestSupport
import Testing

@Suite struct `A worker that is told to stop` {
    @Test(arguments: [false, true])
    func `lets what is under way come to its end`(_ isWrapped: Bool) async throws {
        try await withProgram { shape in
            shape.requestsPerSecond = 10
            shape.scenario = "latencyMs: 1200"
        } _: { world in
            let worker = try await isWrapped ? world.shell("worker; echo ended") : world.worker()
            let jobs = TestJob.make(30)
            try await world.add(jobs)
            try await eventually("requests are under way") { await world.calls().count >= 5 }
            if isWrapped {
                // As a terminal or a container's init does it: the whole group hears it.
                kill(-worker.pid, SIGTERM)
            } else {
                await worker.kill(SIGTERM)
            }
            let exit = await worker.exit
            #expect(exit == (isWrapped ? .signal(SIGTERM) : .code(0)))
            // A shell doesn't wait for its child once it was told to end.
            try await eventually("nobody works any more") {
                try await world.client.send(["HLEN", "kulanz:fleet:workers"]).integer == 0
            }
            let sent = await world.calls().count
            #expect(sent < jobs.count)
            let accepted = try await world.books(jobs).states[.accepted]
            #expect(accepted == sent, "an answer was not waited for")
            try await finish(jobs, in: world)
        }
    }

    @Test func `is not ended by the end of its shell alone`() async throws {
        try await withProgram { shape in
            shape.requestsPerSecond = 10
            shape.scenario = "latencyMs: 200"
        } _: { world in
            let shell = try await world.shell("worker; echo ended")
            let jobs = TestJob.make(30)
            try await world.add(jobs)
            try await eventually("requests are under way") { await world.calls().count >= 5 }
            let workers = try await world.client.send(["HKEYS", "kulanz:fleet:workers"]).strings ?? []
            let pid = try #require(workers.first?.split(separator: "-").dropLast().last.flatMap { Int32($0) })
            await world.crew.adopt(pid: pid)
            await shell.kill(SIGTERM)
            #expect(await shell.exit == .signal(SIGTERM))
            try await eventually("the worker goes on by itself") {
                try await world.queue().overview().isIdle
            }
            let books = try await world.books(jobs)
            #expect(books.breaches == [])
            #expect(books.entries.count == jobs.count)
        }
    }

    @Test(arguments: Wire.versions)
    func `a second time ends at once, and what it left is sent again under the same ids`(over wire: Wire) async throws {
        try await withProgram { shape in
            shape.wire = wire
            shape.requestsPerSecond = 10
            shape.leaseSeconds = 4.5
            shape.requestTimeoutSeconds = 3
            shape.drainSeconds = 600
            shape.scenario = "rules: [{ when: { arrivals: { to: 6 } }, then: 'hang-after' }]"
        } _: { world in
            let worker = try await world.worker()
            let jobs = TestJob.make(6)
            try await world.add(jobs)
            try await eventually("all hang") { await world.calls().count == jobs.count }
            await worker.kill(SIGTERM)
            try await eventually("it drains") { world.log.contains { $0.contains("draining") } }
            let told = ContinuousClock.now
            await worker.kill(SIGTERM)
            #expect(await worker.exit == .code(128 + SIGTERM))
            #expect(ContinuousClock.now - told < .seconds(3), "sooner than any request's time-out")
            try await finish(jobs, in: world)
            #expect(try await world.books(jobs).lostAttempts == jobs.count)
        }
    }

    @Test(arguments: Wire.versions)
    func `with a second for it hands back what hangs, and its ids stay`(over wire: Wire) async throws {
        try await withProgram { shape in
            shape.wire = wire
            shape.requestsPerSecond = 10
            shape.drainSeconds = 1
            shape.scenario = "rules: [{ when: { arrivals: { to: 6 } }, then: 'hang-after' }]"
        } _: { world in
            let worker = try await world.worker()
            let jobs = TestJob.make(20)
            try await world.add(jobs)
            try await eventually("six hang") { await world.calls().count >= 6 }
            await worker.kill(SIGTERM)
            #expect(await worker.exit == .code(0))
            let books = try await world.books(jobs)
            #expect(books.states[.unclear] == 6, "\(books.summary)")
            #expect(books.states[.sending] == nil)
            try await finish(jobs, in: world)
        }
    }

    /// Another worker does what is left; nothing was sent twice under two ids, and every job is accepted.
    private func finish(_ jobs: [TestJob], in world: ProgramWorld) async throws {
        #expect(try await world.workUntilIdle() == .code(0))
        let books = try await world.books(jobs)
        #expect(books.breaches == [])
        #expect(books.states == [.accepted: jobs.count])
    }
}

@Suite struct `A worker that died` {
    @Test func `is found dead by whoever still lives, and its jobs wait out their request`() async throws {
        try await withProgram { shape in
            shape.requestsPerSecond = 10
            shape.requestTimeoutSeconds = 12
            shape.scenario = "rules: [{ when: { arrivals: { to: 4 } }, then: 'hang-after' }]"
        } _: { world in
            let first = try await world.workers(1)[0]
            let jobs = TestJob.make(4)
            try await world.add(jobs)
            try await eventually("all hang") { await world.calls().count == jobs.count }
            let others = try await world.workers(2)
            // Two die, one of them a possible heir; nothing is started.
            let killed = try await world.now()
            for worker in [first, others[0]] { await worker.kill(SIGKILL) }
            try await eventually("the jobs are owned again") {
                try await world.ledger("answer").count { $0["result"] == "lost" } == jobs.count
            }
            let owned = try await world.ledger("answer").compactMap { $0["at"].flatMap { Int64($0) } }.max() ?? 0
            print("owned again \(owned - killed) ms after the kill")
            #expect(owned - killed <= 10_000 + 500)
            try await eventually("all are accepted") { try await world.books(jobs).states == [.accepted: jobs.count] }
            let books = try await world.books(jobs)
            #expect(books.breaches == [])
            for job in jobs {
                let arrivals = books.arrivals(job)
                #expect(arrivals.count == 2)
                let gap = (arrivals.last?.nanoseconds ?? 0) - (arrivals.first?.nanoseconds ?? 0)
                // The first departure was counted a little before its arrival.
                #expect(gap >= 11_900_000_000, "sent again while the first could still be on its way")
            }
        }
    }
}
