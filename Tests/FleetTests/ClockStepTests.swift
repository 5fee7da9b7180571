#if os(Linux)
    import AppStoreSimulator
    import Queue
    import Redis
    import Refunds
    import TestSupport
    import Testing

    @testable import Fleet

    @Suite struct `Redis' clock is set` {
        /// Two workers whose leases are shorter than the steps, and longer than a request may take.
        private func pair(in world: FleetWorld) throws -> [Worker] {
            try ["first", "second"].map { name in
                try world.worker([world.app()]) {
                    $0.name = name
                    $0.lease = .seconds(20)
                    $0.requestTimeout = .seconds(10)
                    $0.untilIdle = false
                }
            }
        }

        private func allAreAccepted(_ ids: ClosedRange<Int>, in world: FleetWorld) async throws {
            try await eventually("all are accepted") {
                for number in ids where try await world.queue.show("case-\(number)")?.state != .accepted {
                    return false
                }
                return true
            }
        }

        /// Each job was sent once, and no worker believed that another one had died.
        private func expectNobodyWasTakenForDead(_ jobs: Int, in world: FleetWorld) async throws {
            #expect(await world.simulator.entries.count { $0.status == 200 } == jobs)
            #expect(try await world.ledger("answer").count { $0["result"] == "accepted" } == jobs)
            #expect(try await world.ledger("answer").count { $0["result"] == "lost" } == 0)
            #expect(world.logged("took over a dead worker's jobs") == 0)
            let report = await world.simulator.report(requestsPerSecond: [FleetWorld.bundle: 5])
            #expect(report.verdict != .breach)
        }

        @Test(arguments: [45, -45] as [Int64])
        func `while requests are under way: no job is taken from its worker, and none is sent twice`(
            by seconds: Int64
        ) async throws {
            try await withFleet({ $0.latencyMs = 2000 }, hasOwnClock: true) { world in
                let clock = try #require(world.redis.clock)
                let before = try await world.queue.now()
                try await world.working(pair(in: world)) {
                    try await world.beat(2, by: 2)
                    for number in 1...3 { try await world.add(FleetWorld.job("case-\(number)")) }
                    try await eventually("three are under way") { await world.simulator.entries.count == 3 }
                    try clock.set(millisecondsOff: seconds * 1000)
                    // Rings: both workers ask for jobs under the new time, while the three are still under way.
                    for number in 4...6 { try await world.add(FleetWorld.job("case-\(number)")) }
                    try await allAreAccepted(1...6, in: world)
                    // And as many beats as it takes to declare somebody dead.
                    try await world.beat(20, by: 2)
                }
                let passed = try await world.queue.now() - before - seconds * 1_000_000
                #expect((0..<40_000_000).contains(passed), "the clock wasn't set")
                try await expectNobodyWasTakenForDead(6, in: world)
                // Neither departures in the future nor such that look old are trusted: the window is taken as full.
                #expect(try await world.ledger("forgotten").count >= 1)
            }
        }

        @Test func `forward by less than a window, again and again: no sixth leaves in any second`() async throws {
            try await withFleet(hasOwnClock: true) { world in
                let clock = try #require(world.redis.clock)
                for number in 1...40 { try await world.add(FleetWorld.job("case-\(number)")) }
                try await world.working(pair(in: world)) {
                    for step in 1...8 {
                        let sent = await world.simulator.entries.count
                        try await eventually("more are sent") {
                            await world.simulator.entries.count >= min(sent + 3, 40)
                        }
                        // Eight tenths of a second each: by its looks nearly a whole window has passed.
                        try clock.set(millisecondsOff: Int64(step) * 800)
                    }
                    try await allAreAccepted(1...40, in: world)
                }
                try await expectNobodyWasTakenForDead(40, in: world)
            }
        }

        @Test func `an hour ahead: Apple refuses the tokens, the app pauses, and once it is right again all are sent`()
            async throws
        {
            try await withFleet(hasOwnClock: true) { world in
                let clock = try #require(world.redis.clock)
                try await world.working(pair(in: world)) {
                    try await world.beat(2, by: 2)
                    for number in 1...3 { try await world.add(FleetWorld.job("case-\(number)")) }
                    try await allAreAccepted(1...3, in: world)
                    try clock.set(millisecondsOff: 3_600_000)
                    for number in 4...6 { try await world.add(FleetWorld.job("case-\(number)")) }
                    try await eventually("the app is paused") { try await world.gate("paused") == "unauthorized" }
                    try clock.set(millisecondsOff: 0)
                    _ = try await world.queue.resume(act: Act(by: "ops", why: "the clock is right again"))
                    try await allAreAccepted(4...6, in: world)
                }
                try await expectNobodyWasTakenForDead(6, in: world)
            }
        }
    }
#endif
