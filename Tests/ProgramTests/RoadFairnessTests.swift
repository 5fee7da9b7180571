import AppStoreSimulator
import Foundation
import Lifecycle
import Queue
import Redis
import Refunds
import TestSupport
import Testing

@Suite struct `What goes wrong for one` {
    @Test func `app, blocked for ten minutes or paused, doesn't slow another`() async throws {
        try await withProgram { shape in
            shape.apps = ["audiobooks", "games", "films"]
            shape.concurrency = 8
            shape.scenario = """
                latencyMs: 50,
                rules: [{ when: { bundleId: 'com.example.games' }, then: { status: 429, retryAfterMs: 600000 } }]
                """
        } _: { world in
            let games = TestJob.make(40, app: "games")
            let films = TestJob.make(40, app: "films")
            let books = TestJob.make(40, app: "audiobooks")
            let act = Act(by: "test", why: "a look at one app alone")
            _ = try await world.queue("films").pause(reason: "operator", act: act)
            try await world.add(games)
            try await world.add(films)
            _ = try await world.workers(2)
            try await eventually("games is blocked") {
                try await world.queue("games").overview().blockedUntil != nil
            }
            try await world.add(books)
            try await eventually("audiobooks is done") { try await world.queue().overview().isIdle }
            let result = try await world.books(books)
            let entries = result.entries.filter { $0.bundleId == ProgramWorld.bundle("audiobooks") }
            let stamps = entries.map(\.nanoseconds)
            let span = Double((stamps.max() ?? 0) - (stamps.min() ?? 0)) / 1e9
            print("40 jobs beside a blocked and a paused app: \(span) s, 7.2 s would be all of the rate")
            #expect(result.states == [.accepted: books.count])
            // Only what was on the wire already may follow a 429, and a pause costs nothing.
            #expect(result.entries.count { $0.bundleId == ProgramWorld.bundle("games") } <= 5)
            #expect(result.entries.count { $0.bundleId == ProgramWorld.bundle("films") } == 0)
            #expect(result.report.verdict != .breach)
            // What waits has lost nothing: no attempt, no place.
            let overview = try await world.queue("games").overview()
            #expect(overview.lanes[.normal] == games.count)
            #expect(try await world.books(games).records.values.allSatisfy { $0.state == .queued && !$0.isOpen })
            #expect(try await world.queue("films").overview().inFlight == 0)
        }
    }

    @Test(arguments: Wire.versions)
    func `request that Apple takes and never answers frees its slot at the deadline`(over wire: Wire) async throws {
        try await withProgram { shape in
            shape.wire = wire
            shape.requestsPerSecond = 20
            shape.requestTimeoutSeconds = 1
            shape.concurrency = 2
        } _: { world in
            // Twice as many as there are slots, each left hanging twice, half of them after Apple took the refund.
            let hanging = TestJob.make(2, suffix: "-hang-x2") + TestJob.make(2, from: 3, suffix: "-hang-after-x2")
            let jobs = TestJob.make(20, from: 100)
            try await world.add(hanging, to: .urgent)
            try await world.add(jobs)
            #expect(try await world.workUntilIdle() == .code(0))
            let books = try await world.books(hanging + jobs)
            #expect(books.breaches == [])
            #expect(books.states == [.accepted: hanging.count + jobs.count])
            #expect(books.entries.count { $0.ending == .hung } == 2 * hanging.count)
        }
    }

    #if os(Linux)
        /// Redis' clock is ten minutes behind ours and Apple's.
        @Test func `clock doesn't matter: a token's iat is Redis' time`() async throws {
            try await withProgram {
                $0.redisHasOwnClock = true
            } _: { world in
                let clock = try #require(world.clock)
                try clock.set(millisecondsOff: -600_000)
                let worker = try await world.worker()
                try await world.add(TestJob.make(1))
                try await eventually("a request arrives") { await !world.simulator.entries.isEmpty }
                await worker.kill(SIGKILL)
                // It lives for 300 s, by Apple's clock it ended 300 s ago. Had it our time, it were good.
                #expect(await world.simulator.entries.first?.token == "expired")
                try clock.set(millisecondsOff: 0)
                // It may have paused the app by then: a fresh token of its clock was refused, too.
                _ = try await world.queue().resume(act: Act(by: "test", why: "the clock is right again"))
                let honest = try await world.worker(["--until-idle"])
                _ = await honest.exit
                #expect(await world.simulator.entries.last?.token == "ok")
            }
        }
    #endif
}
