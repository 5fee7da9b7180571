import AppStoreSimulator
import Foundation
import Lifecycle
import Queue
import Redis
import Refunds
import TestSupport
import Testing

@Suite struct `Jobs of a worker that dies` {
    @Test func `are owned again within ten seconds and sent again not before the lost request's time-out`() async throws
    {
        try await withProgram { shape in
            shape.requestTimeoutSeconds = 15
        } _: { world in
            let victim = try #require(try await world.workers(1).first)
            let jobs = TestJob.make(3, suffix: "-hang-after-x1")
            try await world.add(jobs)
            try await eventually("all are under way") { await world.simulator.entries.count == jobs.count }
            _ = try await world.worker()
            try await eventually("two live") {
                try await world.client.send(["HLEN", "kulanz:fleet:workers"]).integer == 2
            }
            // The other one has seen the victim alive.
            await pause(.seconds(2))
            let killed = ContinuousClock.now
            await victim.kill(SIGKILL)
            try await eventually("they are owned again") { try await world.queue().overview().inFlight == 0 }
            let taken = ContinuousClock.now - killed
            for job in jobs {
                let record = try #require(try await world.queue().show(job.id))
                #expect(record.state == .unclear && record.isOpen)
            }
            #expect(await world.simulator.entries.count == jobs.count, "too early for a second send")
            try await eventually("they are sent again") { try await world.queue().overview().isIdle }
            let books = try await world.books(jobs)
            #expect(books.breaches == [])
            #expect(books.states == [.accepted: jobs.count])
            let stall = Duration.nanoseconds(books.report.worstStallNs)
            print("owned again \(taken) after kill -9; \(books.summary)")
            #expect(taken <= .seconds(10) + stall + .milliseconds(500))
            for job in jobs {
                let arrivals = books.arrivals(job)
                let departed = try #require(books.records[job.key]?.attempts.first?.startedAt)
                #expect(arrivals.count == 2)
                #expect(Set(arrivals.map(\.referenceId)).count == 1)
                #expect(try #require(arrivals.last).wallMs >= departed + 15_000)
            }
        }
    }

    @Test func `stay with living workers when Redis restarts and all connect at once`() async throws {
        try await withProgram { shape in
            shape.scenario = "latencyMs: 18000"
        } _: { world in
            let crew = try await world.workers(4)
            let jobs = TestJob.make(5)
            try await world.add(jobs)
            try await eventually("all are under way") { await world.simulator.entries.count == jobs.count }
            await world.redis.kill9()
            // Longer than the eight seconds after which a worker without a beat counts as dead.
            await pause(.seconds(9))
            try await world.redis.start()
            try await eventually("all are answered") { try await world.queue().overview().isIdle }
            let books = try await world.books(jobs)
            #expect(books.breaches == [])
            #expect(books.states == [.accepted: jobs.count])
            #expect(books.entries.count == jobs.count)
            #expect(books.lostAttempts == 0)
            #expect(!world.log.contains { $0.contains("a worker is dead") || $0.contains("took over") })
            for worker in crew { #expect(await worker.isRunning) }
        }
    }

    @Test func `are given up one by one if they kill it: the poison runs alone, then it is a letter`() async throws {
        try await withProgram { shape in
            shape.requestsPerSecond = 10
            shape.leaseSeconds = 10
            shape.requestTimeoutSeconds = 6
            shape.scenario = "latencyMs: 300, rules: [{ when: { transactionId: '*666' }, then: 'hang-after' }]"
        } _: { world in
            let poison = TestJob(id: "poison", transaction: "2000000000000666")
            let jobs = TestJob.make(20)
            var crew = try await world.workers(2)
            let arrivals = await world.simulator.arrivals()
            try await world.add([poison])
            try await world.add(jobs)
            var deaths = 0
            var company: [String] = []
            for await arrival in arrivals where arrival.transactionId == poison.transaction {
                // Whoever sent it dies as if of it.
                let holder = try await world.client.send(["HGET", "kulanz:{audiobooks}:job:poison", "worker"]).string
                let name = try #require(holder)
                let index = try #require(crew.firstIndex { name.contains("-\($0.pid)-") })
                if deaths == 2 {
                    for job in jobs {
                        let key = RedisWord("kulanz:{audiobooks}:job:\(job.id)")
                        if try await world.client.send(["HGET", key, "worker"]).string == name {
                            company.append(job.id)
                        }
                    }
                }
                await crew.remove(at: index).kill(SIGKILL)
                deaths += 1
                crew.append(try await world.worker())
                if deaths == 3 { break }
                // More to do meanwhile, or being alone would be no merit.
                try await world.add(TestJob.make(10, from: 100 * deaths))
            }
            #expect(company == [], "it was not alone")
            try await eventually("it is a dead letter") { try await world.queue().deadLetter("poison") != nil }
            #expect(try await world.workUntilIdle() == .code(0))
            let letter = try #require(try await world.queue().deadLetter("poison"))
            #expect(letter.reason == "workerLost")
            #expect(letter.isOpen)
            let all = jobs + TestJob.make(10, from: 100) + TestJob.make(10, from: 200)
            let books = try await world.books(all + [poison])
            #expect(books.breaches == [])
            #expect(books.arrivals(poison).count == 3)
            #expect(all.allSatisfy { books.records[$0.key]?.state == .accepted })
        }
    }
}
