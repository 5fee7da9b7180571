import AppStoreSimulator
import Queue
import Redis
import Refunds
import TestSupport
import Testing

@testable import Fleet

@Suite struct `Fairness` {
    @Test func `of ten departures under load of all three lanes gives eight to urgent, one each to the others`()
        async throws
    {
        try await withFleet { world in
            // Blocked, so that every job is adopted and waits before the first permit is given.
            let blocked = try await world.queue.now() + 600_000_000
            try await world.redis.send(
                "HSET", "kulanz:{audiobooks}:gate:refunds", "blockedUntil", RedisWord(blocked))
            for lane in Priority.allCases {
                for number in 1...40 {
                    try await world.add(
                        FleetWorld.job("\(lane.rawValue)-\(number)", transaction: "20\(lane.rawValue)\(number)"),
                        to: lane)
                }
            }
            let worker = world.worker([try world.app(rate: GateRate(requestsPerSecond: 25))]) {
                $0.untilIdle = false
                $0.sweep = .milliseconds(250)
            }
            try await world.working([worker]) {
                for lane in Priority.allCases {
                    try await eventually("all of \(lane) are adopted") {
                        try await world.redis.send("ZCARD", RedisWord("kulanz:{audiobooks}:ready:\(lane.rawValue)"))
                            .integer == 40
                    }
                }
                try await world.redis.send("HDEL", "kulanz:{audiobooks}:gate:refunds", "blockedUntil")
                try await eventually("all are sent") { await world.simulator.entries.count == 120 }
            }
            let order = try await world.ledger("request").compactMap { $0["id"]?.split(separator: "-").first }
            for ten in 0..<4 {
                let lanes = order[ten * 10..<ten * 10 + 10]
                #expect(lanes.count { $0 == "urgent" } == 8, "\(Array(lanes))")
                #expect(lanes.count { $0 == "normal" } == 1, "\(Array(lanes))")
                #expect(lanes.count { $0 == "bulk" } == 1, "\(Array(lanes))")
            }
            #expect(order.first == "urgent")
        }
    }

    @Test func `between apps leaves a slow one with many jobs a quarter of the slots`() async throws {
        let apple = try Scenario(
            json5: Array("{doubleRefunds:'accept',rules:[{when:{bundleId:'com.example.slow'},then:'slow-500'}]}".utf8))
        try await withFleet {
            $0 = apple
        } _: { world in
            for number in 1...16 {
                try await world.add(FleetWorld.job("slow-\(number)", app: "slow"), app: "slow")
            }
            for number in 1...10 {
                try await world.add(FleetWorld.job("case-\(number)"))
                try await world.add(FleetWorld.job("game-\(number)", app: "games"), app: "games")
            }
            let rate = GateRate(requestsPerSecond: 50)
            let apps = [
                try world.app("slow", bundle: "com.example.slow", rate: rate), try world.app(rate: rate),
                try world.app("games", bundle: "com.example.games", rate: rate),
            ]
            #expect(await world.worker(apps) { $0.concurrency = 8 }.run() == .idle)
            let entries = await world.simulator.entries
            let slow = entries.filter { $0.bundleId == "com.example.slow" }.map(\.nanoseconds)
            // On a machine that is busy with other tests an answer may miss the time-out of 2 s: then it is repeated.
            #expect(Set(entries.filter { $0.bundleId == "com.example.slow" }.map(\.transactionId)).count == 16)
            // Two of eight: the next but one leaves only after an answer, which takes half a second.
            for (earlier, later) in zip(slow, slow.dropFirst(2)) { #expect(later - earlier >= 500_000_000) }
            // Both slots were in use, or the quota would prove nothing.
            #expect(zip(slow, slow.dropFirst()).contains { $1 - $0 < 400_000_000 })
            let others = entries.filter { $0.bundleId != "com.example.slow" }.map(\.nanoseconds)
            #expect(others.count == 20)
            #expect(try #require(others.max()) < #require(slow.max()))
        }
    }
}
