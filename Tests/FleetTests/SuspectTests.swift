import AppStoreSimulator
import Queue
import Redis
import Refunds
import Telemetry
import TestSupport
import Testing

@testable import Fleet

private func scenario(_ rules: String, shape: (inout Scenario) -> Void = { _ in }) throws -> Scenario {
    var scenario = try Scenario(json5: Array("{rules:[\(rules)]}".utf8))
    scenario.refusesDoubleRefunds = false
    shape(&scenario)
    return scenario
}

@Suite struct `Tokens that Apple refuses` {
    static let always = "{name:'refusal',then:'401'}"

    @Test(arguments: Wire.versions)
    func `pause the app of a worker alone once a fresh one was refused, too`(
        over wire: Wire
    ) async throws {
        let apple = try scenario(Self.always)
        try await withFleet({ $0 = apple }, over: wire) { world in
            let desk = try await AlarmDesk(loop: world.loop)
            for number in 1...12 { try await world.add(FleetWorld.job("case-\(number)")) }
            let end = await world.worker([try world.app(webhook: desk.url)]).run()
            await desk.stop()
            #expect(end == .idleButPaused(["audiobooks"]))
            let overview = try await world.queue.overview()
            #expect(overview.paused?.reason == "unauthorized")
            #expect(overview.dead == 0)
            #expect(desk.kinds == ["paused"])
            // One window with the first token and one with the fresh one; what is on the wire then comes in, too.
            let entries = await world.calls()
            #expect((2...15).contains(entries.count))
            for number in 1...12 {
                let record = try #require(try await world.queue.show("case-\(number)"))
                #expect(record.attempts.allSatisfy { $0.httpStatus == 401 })
                #expect(Set(record.attempts.map(\.referenceId)).count <= 1)
            }
        }
    }

    @Test func `make the first of two workers stand down, and pause when the second sees the same`() async throws {
        let apple = try scenario(Self.always)
        try await withFleet {
            $0 = apple
        } _: { world in
            let desk = try await AlarmDesk(loop: world.loop)
            let apps = [try world.app(webhook: desk.url)]
            // The other one lives and isn't quick enough: which of two saw it first is no chance here.
            let other = try await world.pretending(toBe: "other")
            let first = world.worker(apps) {
                $0.name = "first"
                $0.untilIdle = false
            }
            try await world.working([first]) {
                try await world.beat(2, by: 2)
                try await world.add(FleetWorld.job("case-1"))
                try await eventually("the first worker saw it") { try await world.gate("refusedBy") == "first" }
                #expect(try await world.queue.overview().paused == nil)
                other.cancel()
                let second = world.worker([try world.app(webhook: desk.url)]) {
                    $0.name = "second"
                    $0.untilIdle = false
                }
                try await world.working([second]) {
                    // Long before the first one's half minute of standing down is over.
                    try await eventually("the app is paused", within: .seconds(25)) {
                        try await world.queue.overview().paused?.reason == "unauthorized"
                    }
                    try await desk.alarms.first(1)
                }
            }
            await desk.stop()
            #expect(world.logged("standing down") == 1)
            #expect(desk.kinds == ["paused"])
            #expect(try await world.queue.overview().dead == 0)
        }
    }

    @Test func `are forgotten when a later answer is a good one`() async throws {
        let apple = try scenario(Self.always)
        try await withFleet {
            $0 = apple
        } _: { world in
            let other = try await world.pretending(toBe: "other")
            defer { other.cancel() }
            let first = world.worker([try world.app()]) {
                $0.name = "first"
                $0.untilIdle = false
                $0.beat = .milliseconds(100)
            }
            try await world.working([first]) {
                try await world.beat(2, by: 2)
                try await world.add(FleetWorld.job("case-1"))
                try await eventually("the first worker saw it") { try await world.gate("refusedBy") == "first" }
                await world.simulator.adopt(try scenario(""))
                let second = world.worker([try world.app()]) {
                    $0.name = "second"
                    $0.untilIdle = false
                    $0.beat = .milliseconds(100)
                }
                try await world.working([second]) {
                    try await eventually("the job is accepted") {
                        try await world.queue.show("case-1")?.state == .accepted
                    }
                    #expect(try await world.gate("refusedBy") == nil)
                    try await world.beat(2, by: 3)
                    await world.simulator.adopt(try scenario(Self.always))
                    try await world.add(FleetWorld.job("case-2"))
                    try await eventually("the second worker saw it") { try await world.gate("refusedBy") == "second" }
                    #expect(try await world.queue.overview().paused == nil)
                }
            }
        }
    }
}

@Suite struct `Answers that speak about the app` {
    @Test(arguments: [("302", "redirected"), ("403", "forbidden"), ("4039999", "forbidden")], Wire.versions)
    func `pause it with one alarm, and the other app goes on`(
        _ answer: (word: String, reason: String), over wire: Wire
    ) async throws {
        let (word, reason) = answer
        let apple = try scenario("{when:{bundleId:'com.example.games'},then:'\(word)'}")
        try await withFleet({ $0 = apple }, over: wire) { world in
            let desk = try await AlarmDesk(loop: world.loop)
            for number in 1...8 {
                try await world.add(FleetWorld.job("game-\(number)", app: "games"), app: "games")
                try await world.add(FleetWorld.job("case-\(number)"))
            }
            let games = try world.app("games", bundle: "com.example.games", webhook: desk.url)
            let end = await world.worker([games, try world.app(webhook: desk.url)]).run()
            await desk.stop()
            #expect(end == .idleButPaused(["games"]))
            let overview = try await world.queue("games").overview()
            #expect(overview.paused?.reason == reason)
            #expect(overview.dead == 0)
            #expect(overview.lanes[.normal] == 8)
            #expect(desk.kinds == ["paused"])
            for number in 1...8 { #expect(try await world.queue.show("case-\(number)")?.state == .accepted) }
        }
    }

    struct Run: Sendable, CustomTestStringConvertible {
        let code: String
        let length: Int
        let reason: String
        var testDescription: String { "\(code), \(length) times" }
    }

    @Test(arguments: [
        Run(code: "4000135", length: 3, reason: "operationNotAllowed"),
        Run(code: "4030010", length: 3, reason: "subscriptionNotEligible"),
        Run(code: "4040010", length: 5, reason: "transactionsNotFound"),
        Run(code: "4030020", length: 3, reason: "insufficientFunds"),
    ])
    func `only when they come in a run pause it then, and the other app goes on`(_ run: Run) async throws {
        // One less than a run, then something good; then the run.
        let few = "{when:{bundleId:'com.example.games',arrivals:{to:\(run.length - 1)}},then:'\(run.code)'}"
        let apple = try scenario("{when:{bundleId:'\(FleetWorld.bundle)'},then:'\(run.code)'},\(few)")
        try await withFleet {
            $0 = apple
        } _: { world in
            let desk = try await AlarmDesk(loop: world.loop)
            for number in 1...14 {
                try await world.add(FleetWorld.job("case-\(number)"))
                try await world.add(FleetWorld.job("game-\(number)", app: "games"), app: "games")
            }
            let games = try world.app("games", bundle: "com.example.games", webhook: desk.url)
            let end = await world.worker([try world.app(webhook: desk.url), games]).run()
            #expect(end == .idleButPaused(["audiobooks"]))
            let overview = try await world.queue.overview()
            #expect(overview.paused?.reason == run.reason)
            let letters = try await world.queue.deadLetters()
            // A window is five; what was on the wire beside the last of the run may still be refused, of the same cause.
            #expect(letters.allSatisfy { $0.pause == "1" })
            #expect((run.length...run.length + 4).contains(letters.count))
            #expect((overview.lanes[.normal] ?? 0) + letters.count == 14)
            #expect(desk.kinds == ["paused"])
            #expect(try await world.queue("games").overview().dead == run.length - 1)

            await world.simulator.adopt(try scenario(""))
            _ = try await world.queue.resume(act: Act(by: "agent", why: "the addendum is signed"))
            #expect(await world.worker([try world.app(webhook: desk.url), games]).run() == .idle)
            #expect(desk.kinds == ["paused", "resumed"])
            await desk.stop()
        }
    }
}

@Suite struct `A pause that stands` {
    @Test func `survives a restart of Redis and of its worker, and is told once and cleared once`() async throws {
        let apple = try scenario("{then:'302'}")
        try await withFleet({ $0 = apple }, persistence: .always) { world in
            let desk = try await AlarmDesk(loop: world.loop)
            for number in 1...8 { try await world.add(FleetWorld.job("case-\(number)")) }
            let apps = [try world.app(webhook: desk.url)]
            #expect(await world.worker(apps).run() == .idleButPaused(["audiobooks"]))
            let sent = await world.simulator.entries.count
            await world.redis.server.kill9()
            try await world.redis.server.start()
            // Nothing would go wrong any more: only the pause keeps them from being sent.
            await world.simulator.adopt(try scenario(""))
            #expect(await world.worker(apps).run() == .idleButPaused(["audiobooks"]))
            #expect(await world.simulator.entries.count == sent)
            _ = try await world.queue.resume(act: Act(by: "agent", why: "mended"))
            #expect(await world.worker(apps).run() == .idle)
            await desk.stop()
            #expect(desk.kinds == ["paused", "resumed"])
            for number in 1...8 { #expect(try await world.queue.show("case-\(number)")?.state == .accepted) }
        }
    }

    @Test func `is told once by the next worker if the one that took the alarm died`() async throws {
        try await withFleet { world in
            let desk = try await AlarmDesk(loop: world.loop)
            _ = try await world.queue.pause(reason: "manual", act: Act(by: "agent", why: "a look"))
            let taken = try await world.queue.takeAlarms(worker: "dead")
            #expect(taken.map(\.kind) == ["paused"])
            let end = await world.worker([try world.app(webhook: desk.url)]) { $0.alarmPatience = .milliseconds(300) }
                .run()
            #expect(end == .idle)
            _ = await world.worker([try world.app(webhook: desk.url)]) { $0.alarmPatience = .milliseconds(300) }.run()
            await desk.stop()
            #expect(desk.kinds == ["paused"])
        }
    }

    @Test func `is left to its teller for as long as telling can take`() {
        #expect(WorkerOptions().alarmPatience > Herald.longestTelling)
    }
}
