import AppStoreSimulator
import Queue
import Redis
import Refunds
import Telemetry
import TestSupport
import Testing

@testable import Fleet

@Suite struct `What an answer of Apple's does to a job` {
    struct Case: Sendable, CustomTestStringConvertible {
        let transaction: String
        let state: JobState
        let results: [String]
        let ids: Int
        var testDescription: String { transaction }
    }

    static let cases = [
        Case(transaction: "2000-cut-after", state: .accepted, results: ["unclear", "accepted"], ids: 1),
        Case(transaction: "2000-cut-before", state: .accepted, results: ["unclear", "accepted"], ids: 1),
        Case(transaction: "2000-503", state: .accepted, results: ["unclear", "accepted"], ids: 1),
        Case(transaction: "2000-5000000-x2", state: .accepted, results: ["unclear", "unclear", "accepted"], ids: 1),
        Case(transaction: "2000-cut", state: .accepted, results: ["unclear", "accepted"], ids: 1),
        Case(transaction: "2000-hang", state: .accepted, results: ["unclear", "accepted"], ids: 1),
        Case(transaction: "2000-hang-after", state: .accepted, results: ["unclear", "accepted"], ids: 1),
        Case(transaction: "2000-slow-2500-x1", state: .accepted, results: ["unclear", "accepted"], ids: 1),
        Case(transaction: "2000-500-after", state: .accepted, results: ["unclear", "accepted"], ids: 1),
        Case(transaction: "2000-4000133", state: .dead, results: ["rejected"], ids: 1),
        Case(transaction: "2000-4040010", state: .dead, results: ["rejected"], ids: 1),
        Case(transaction: "2000-4000181", state: .held, results: ["rejected"], ids: 1),
        Case(transaction: "2000-garbage", state: .unclear, results: ["unreadable"], ids: 1),
        Case(transaction: "2000-401-x1", state: .accepted, results: ["unauthorized", "accepted"], ids: 1),
    ]

    @Test(arguments: cases, Wire.available)
    func `is one move`(_ expected: Case, over wire: Wire) async throws {
        try await withFleet(over: wire) { world in
            try await world.add(FleetWorld.job("case-1", transaction: expected.transaction))
            _ = await world.worker([try world.app()]).run()
            let record = try #require(try await world.queue.show("case-1"))
            #expect(record.state == expected.state)
            #expect(record.attempts.map(\.result) == expected.results)
            #expect(Set(record.attempts.map(\.referenceId)).count == expected.ids)
        }
    }

    @Test func `a lapsed addendum pauses the app, burns no job and raises one alarm`() async throws {
        try await withFleet { scenario in
            var app = SimulatedApp(bundleId: FleetWorld.bundle)
            app.addendum = SimulatedApp.AddendumAnswer()
            scenario.apps[FleetWorld.bundle] = app
        } _: { world in
            for number in 1...12 { try await world.add(FleetWorld.job("case-\(number)")) }
            let end = await world.worker([try world.app()]).run()
            #expect(end == .idleButPaused(["audiobooks"]))
            let overview = try await world.queue.overview()
            #expect(overview.dead == 0)
            #expect(overview.lanes[.normal] == 12)
            #expect(overview.paused?.reason == "forbidden")
            #expect(world.log.events.count { $0.level == .error } == 1)
            // What was on the wire already may have been answered the same way; nothing follows.
            #expect(await world.simulator.entries.count <= 5)
        }
    }

    @Test func `a 429 blocks the app until Retry-After and costs no attempt`() async throws {
        try await withFleet { world in
            try await world.add(FleetWorld.job("case-1", transaction: "2000-429-x1"))
            for number in 2...4 { try await world.add(FleetWorld.job("case-\(number)")) }
            let end = await world.worker([try world.app()]).run()
            #expect(end == .idle)
            for number in 1...4 {
                #expect(try await world.queue.show("case-\(number)")?.state == .accepted)
            }
            let first = try #require(try await world.queue.show("case-1"))
            #expect(first.attempts.map(\.result) == ["rateLimited", "accepted"])
            #expect(Set(first.attempts.map(\.referenceId)).count == 2)
        }
    }

    @Test func `malformed entries become dead letters that say why, and the good one behind them is sent`() async throws
    {
        try await withFleet { world in
            for number in 1...300 {
                try await world.redis.send(
                    "XADD", "kulanz:{audiobooks}:jobs:normal", "*", "job", RedisWord("{\"id\": \(number)"))
            }
            try await world.redis.send("XADD", "kulanz:{audiobooks}:jobs:normal", "*", "colour", "blue")
            try await world.redis.send(
                "XADD", "kulanz:{audiobooks}:jobs:normal", "*", "job", RedisWord([0xFF, 0xFE, 0x00]))
            let good = FleetWorld.job("case-2")
            // An emoji in an id, a NUL byte, a wrong type, an unknown field, a megabyte.
            for text in [
                good.replacing("case-2", with: "case-📚"),
                good.replacing("case-2", with: "case-\0"),
                good.replacing("4990", with: "\"4990\""),
                good.replacing("\"SKU\"", with: "\"sku\""),
                good.replacing("\"id\"", with: "\"note\":\"\(String(repeating: "x", count: 1 << 20))\",\"id\""),
            ] { try await world.add(text) }
            try await world.add(FleetWorld.job("case-1"))
            let end = await world.worker([try world.app()]).run()
            #expect(end == .idle)
            #expect(try await world.queue.show("case-1")?.state == .accepted)
            let letters = try await world.queue.deadLetters()
            #expect(letters.count == 307)
            #expect(letters.allSatisfy { $0.reason == "invalid" && !$0.hint.isEmpty })
            #expect(letters.contains { $0.job == #"{"raw":"//4A"}"# })
            #expect(letters.suffix(5).allSatisfy { $0.job.utf8.count > 200 }, "what came is kept")
            #expect(await world.simulator.entries.count == 1)
        }
    }

    @Test func `jobs of one purchase are never in flight together`() async throws {
        try await withFleet { scenario in
            scenario.latencyMs = 100
        } _: { world in
            for number in 1...4 {
                let job = FleetWorld.job("case-\(number)", transaction: "2000111")
                    .replacing("\"book\"", with: "\"book\(number)\"")
                try await world.add(job)
            }
            let workers = [try world.app()].map { world.worker([$0]) } + [world.worker([try world.app()])]
            await withTaskGroup(of: Void.self) { group in
                for worker in workers { group.addTask { _ = await worker.run() } }
            }
            let stamps = await world.simulator.entries.map(\.nanoseconds)
            #expect(stamps.count == 4)
            for (earlier, later) in zip(stamps, stamps.dropFirst()) { #expect(later - earlier >= 100_000_000) }
        }
    }
}
