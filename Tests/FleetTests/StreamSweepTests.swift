import AppStoreSimulator
import Queue
import Redis
import Refunds
import Telemetry
import TestSupport
import Testing

@testable import Fleet

@Suite struct `The sweep over the streams` {
    private func sweep(_ world: FleetWorld, prefix: String = "kulanz", apps: [String] = ["audiobooks", "podcasts"])
        -> StreamSweep
    {
        StreamSweep(
            queues: apps.map {
                JobQueue(app: $0, environment: .production, prefix: prefix, redis: world.redis.client)
            },
            prefix: prefix, redis: world.redis.client, period: .seconds(3600), log: .none)
    }

    private func write(_ stream: String, in world: FleetWorld) async throws {
        try await world.redis.send("XADD", RedisWord(stream), "*", "job", "{}")
    }

    @Test(arguments: [
        ("kulanz:{audiobook}:jobs:normal", "audiobooks"),
        ("kulanz:{podcast}:jobs:urgent", "podcasts"),
        ("kulanz:{audiobooks}:jobs:norml", "audiobooks"),
        ("kulanz:{podcasts}:jobs", "podcasts"),
        ("kulanz:{podcasts}:job:normal", "podcasts"),
        ("kulanz:podcasts:jobs:normal", "podcasts"),
        ("kulanz:{nothing-like-it}:jobs:bulk", "audiobooks"),
        ("kulanz:jobs", "audiobooks"),
    ]) func `finds what was written to the wrong place, for the app that it seems to be meant for`(
        stream: String, app: String
    ) async throws {
        try await withFleet { world in
            try await write(stream, in: world)
            await sweep(world).run(as: "w1", live: [])
            for name in ["audiobooks", "podcasts"] {
                let found = try await world.queue(name).strays().map(\.name)
                #expect(found == (name == app ? [stream] : []))
            }
        }
    }

    @Test func `takes nothing for a stray that has its readers`() async throws {
        try await withFleet { world in
            for lane in Priority.allCases { try await world.add(FleetWorld.job("case-\(lane)"), to: lane) }
            for app in ["audiobooks", "podcasts", "no-longer-configured"] {
                for stream in ["dead", "ledger", "access", "alerts", "inbox"] {
                    try await write("kulanz:{\(app)}:\(stream)", in: world)
                }
            }
            // Another program's, another installation's, and an app of workers with another configuration.
            try await write("others", in: world)
            try await write("kulanz2:{audiobook}:jobs:normal", in: world)
            try await write("kulanz:{magazines}:jobs:normal", in: world)
            try await world.redis.send("SET", "kulanz:{audiobook}:jobs:bulk", "no stream")
            await sweep(world).run(as: "w1", live: ["magazines"])
            for name in ["audiobooks", "podcasts"] { #expect(try await world.queue(name).strays() == []) }
        }
    }

    @Test func `takes a prefix by its letters`() async throws {
        try await withFleet { world in
            try await write("k*[a]:{audiobook}:jobs:normal", in: world)
            try await write("kxa:{audiobook}:jobs:normal", in: world)
            await sweep(world, prefix: "k*[a]", apps: ["audiobooks"]).run(as: "w1", live: [])
            let queue = JobQueue(
                app: "audiobooks", environment: .production, prefix: "k*[a]", redis: world.redis.client)
            #expect(try await queue.strays().map(\.name) == ["k*[a]:{audiobook}:jobs:normal"])
        }
    }

    @Test func `is one worker's turn in an hour`() async throws {
        try await withFleet { world in
            await sweep(world).run(as: "w1", live: [])
            try await write("kulanz:{audiobook}:jobs:normal", in: world)
            await sweep(world).run(as: "w2", live: [])
            #expect(try await world.queue.strays() == [])
            let left = try await world.redis.send("PTTL", "kulanz:fleet:sweep").integer ?? 0
            #expect((3_000_000...3_600_000).contains(left))
            try await world.redis.send("DEL", "kulanz:fleet:sweep")
            await sweep(world).run(as: "w2", live: [])
            #expect(try await world.queue.strays().count == 1)
        }
    }

    @Test func `is made by a worker, whose herald tells each finding once`() async throws {
        try await withFleet { world in
            let desk = try await AlarmDesk(loop: world.loop)
            try await write("kulanz:{audiobook}:jobs:normal", in: world)
            try await world.add(FleetWorld.job("case-1"))
            let ids = try await world.redis.send("XRANGE", "kulanz:{audiobooks}:jobs:normal", "-", "+").array ?? []
            let id = try #require(ids.first?.array?.first?.string)
            try await world.redis.send("XDEL", "kulanz:{audiobooks}:jobs:normal", RedisWord(id))
            let workers = try ["first", "second"].map { name in
                try world.worker([world.app(webhook: desk.url)]) {
                    $0.name = name
                    $0.untilIdle = false
                    $0.streamSweep = .seconds(3)
                }
            }
            try await world.working(workers) {
                _ = try await desk.alarms.first(2)
                try await world.beat(20, by: 2)
            }
            await desk.stop()
            #expect(desk.kinds.sorted() == ["entriesDeleted", "unknownStream"])
            let text = desk.alarms.events.map { $0["text"]?.string ?? "" }.joined()
            #expect(text.contains("kulanz:{audiobook}:jobs:normal. What waits in it: 1."))
        }
    }
}
