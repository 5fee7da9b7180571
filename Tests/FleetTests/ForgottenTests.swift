import AppStoreSimulator
import Queue
import Redis
import Refunds
import TestSupport
import Testing

@testable import Fleet

@Suite struct `A server that forgot` {
    private static let gate: RedisWord = "kulanz:{audiobooks}:gate:refunds"
    private static let log: RedisWord = "kulanz:{audiobooks}:gate:refunds:log"

    /// Sends so many jobs to their end.
    private func send(_ ids: ClosedRange<Int>, in world: FleetWorld) async throws {
        for number in ids { try await world.add(FleetWorld.job("case-\(number)")) }
        #expect(await world.worker([try world.app()]).run() == .idle)
        for number in ids { #expect(try await world.queue.show("case-\(number)")?.state == .accepted) }
    }

    /// The first request that left after the forgetting was booked, and by how much: ms.
    private func waited(in world: FleetWorld) async throws -> Int64 {
        let lines = try await world.ledger("forgotten")
        #expect(lines.count == 1)
        let at = try #require(lines.first?["at"].flatMap { Int64($0) })
        let departures = try await world.ledger("request").compactMap { $0["at"].flatMap { Int64($0) } }
        return try #require(departures.filter { $0 >= at }.min()) - at
    }

    @Test func `is no new one: nothing is booked at an app's beginning`() async throws {
        try await withFleet { world in
            try await send(1...3, in: world)
            #expect(try await world.ledger("forgotten").isEmpty)
        }
    }

    @Test func `has another run id: one window is waited out, a block is capped, and it is booked`() async throws {
        try await withFleet(persistence: .always) { world in
            try await send(1...5, in: world)
            let tenHours = try await world.queue.now() + 36_000_000_000
            try await world.redis.send("HSET", Self.gate, "blockedUntil", RedisWord(tenHours))
            await world.redis.server.kill9()
            try await world.redis.server.start()
            let worker = world.worker([try world.app()]) { $0.untilIdle = false }
            try await world.working([worker]) {
                try await eventually("it is booked") { try await world.ledger("forgotten").count == 1 }
                let until = try #require(try await world.queue.overview().blockedUntil)
                let left = until - (try await world.queue.now()) / 1000
                #expect((4_400_000...4_500_000).contains(left))
                try await world.redis.send("HDEL", Self.gate, "blockedUntil")
            }
            // Long ago by now; so that the window counts, once more.
            await world.redis.server.kill9()
            try await world.redis.server.start()
            try await world.redis.send("DEL", "kulanz:{audiobooks}:ledger")
            try await send(6...10, in: world)
            #expect(try await waited(in: world) >= 1000)
        }
    }

    @Test func `is behind its own departures: one window is waited out, and it is booked`() async throws {
        try await withFleet { world in
            try await send(1...5, in: world)
            let later = try await world.queue.now() + 3_600_000_000
            for step in 1...5 { try await world.redis.send("RPUSH", Self.log, RedisWord(later + Int64(step))) }
            try await send(6...10, in: world)
            #expect(try await waited(in: world) >= 1000)
        }
    }

    @Test func `lost its gate alone: one window is waited out, and it is booked`() async throws {
        try await withFleet { world in
            try await send(1...5, in: world)
            try await world.redis.send("DEL", Self.gate, Self.log)
            try await send(6...10, in: world)
            #expect(try await waited(in: world) >= 1000)
        }
    }

    @Test func `lost everything under a worker's feet: no sixth leaves in that second`() async throws {
        try await withFleet { world in
            let worker = world.worker([try world.app()]) { $0.untilIdle = false }
            try await world.working([worker]) {
                for number in 1...5 { try await world.add(FleetWorld.job("case-\(number)")) }
                try await eventually("five are sent") { await world.simulator.entries.count == 5 }
                try await world.redis.send("FLUSHALL")
                for number in 6...10 { try await world.add(FleetWorld.job("case-\(number)")) }
                try await eventually("all are sent") { await world.simulator.entries.count == 10 }
            }
            let report = await world.simulator.report(requestsPerSecond: [FleetWorld.bundle: 5])
            #expect(report.verdict != .breach)
        }
    }
}
