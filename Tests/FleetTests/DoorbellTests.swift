import AppStore
import EventLoop
import HTTP
import Queue
import Redis
import Refunds
import Telemetry
import TestSupport
import Testing

@testable import Fleet

/// Workers whose Redis user may do less than a worker would like.
@Suite struct DoorbellTests {
    /// - Parameter rights: taken from a user who may do everything.
    private func drains(without rights: [RedisWord], within sweep: Duration) async throws -> [LogEvent] {
        let log = RecordingSink()
        try await withFleet { world in
            try await world.redis.send("ACL", "SETUSER", "worker", "on", ">pw", "~*", "&*", "+@all")
            _ = try await world.redis.client.send(["ACL", "SETUSER", "worker"] + rights)
            var endpoint = world.redis.endpoint
            (endpoint.username, endpoint.password) = ("worker", Secret("pw"))
            let redis = RedisClient(loop: world.loop, endpoint: endpoint)
            let (app, token) = try world.app()
            let mine = FleetApp(
                rules: app.rules, queue: JobQueue(app: app.name, environment: .production, redis: redis),
                store: app.store, rate: app.rate, retry: app.retry)
            let subscriber = RedisSubscriber(loop: world.loop, endpoint: endpoint)
            let worker = Worker(
                loop: world.loop, apps: [(mine, token)],
                options: WorkerOptions(
                    lease: .seconds(6), requestTimeout: .seconds(2), drain: .seconds(3), beat: .milliseconds(200),
                    sweep: sweep),
                redis: redis, subscriber: subscriber,
                http: HTTPClient(loop: world.loop, options: .appStore(version: "test")), prefix: "kulanz", database: 0,
                log: Log(to: log, level: .debug, label: "worker"))
            let run = Task { await worker.run() }
            // One that comes while the worker is idle, and one behind it.
            for id in ["first", "second"] {
                try await world.add(FleetWorld.job(id))
                while try await world.queue.state(of: id) != .accepted {
                    try await LoopDomain(world.loop).sleep(for: .milliseconds(10))
                }
            }
            await worker.drain()
            _ = await run.value
            await subscriber.close()
            await redis.close()
        }
        return log.events
    }

    @Test(.timeLimit(.minutes(1)), arguments: [["resetchannels"], ["-subscribe", "-ssubscribe", "-spublish"]])
    func `without channels a worker reads the lanes`(rights: [RedisWord]) async throws {
        // Longer than the test may take: the sweep doesn't help.
        let events = try await drains(without: rights + ["-config"], within: .seconds(600))
        #expect(events.contains { $0.message == "Redis refuses a channel" })
        #expect(events.contains { $0.message.hasPrefix("This user may not ask whether Redis announces XADDs") })
    }

    @Test(.timeLimit(.minutes(1)))
    func `without channels and lanes to read a worker sweeps, and says once what it may not do`() async throws {
        let events = try await drains(without: ["resetchannels", "-config", "-xread"], within: .milliseconds(100))
        #expect(events.count { $0.message.hasPrefix("Redis lets this user not read the lanes") } == 1)
    }
}
