import AppStore
import Arguments
import Configuration
import EventLoop
import Fleet
import Foundation
import HTTP
import Queue
import Redis
import Refunds
import Telemetry

/// The one place that knows every concrete type: makes parts out of settings.
struct Assembly {
    let settings: Settings
    let loop: EventLoop
    let redis: RedisClient

    /// Gives `body` the parts that a command needs, and puts them away when it is done.
    static func use<Result>(
        _ options: ConfigurationOption, _ body: (Assembly) async throws -> Result
    ) async throws -> Result {
        let settings = try options.settings()
        try EmbeddedRedis.requireUp(settings)
        let loop = EventLoop()
        let redis = RedisClient(
            loop: loop, endpoint: settings.redis.endpoint,
            // A person waits: better an answer that says so than a long silence.
            options: .init(connectTimeout: .seconds(3), commandTimeout: .seconds(5), name: "kulanz-command"))
        let assembly = Assembly(settings: settings, loop: loop, redis: redis)
        do {
            let result = try await body(assembly)
            await redis.close()
            return result
        } catch {
            await redis.close()
            throw error
        }
    }

    func queue(of app: AppSettings) -> JobQueue {
        JobQueue(app: app.name, environment: app.environment, prefix: settings.redis.prefix, redis: redis)
    }

    /// What checking jobs needs to know, by app.
    var rules: [String: AppRules] { Dictionary(uniqueKeysWithValues: settings.apps.map { ($0.name, $0.rules) }) }

    /// The named apps, or all when none is named.
    func apps(_ names: [String]) throws(CommandFailure) -> [AppSettings] {
        guard !names.isEmpty else { return settings.apps }
        var apps: [AppSettings] = []
        for name in names { apps.append(try settings.app(called: name)) }
        return apps
    }

    /// One worker with connections of its own.
    /// - Parameter names: the apps to serve; all when empty.
    static func worker(
        _ settings: Settings, apps names: [String], untilIdle: Bool, loop: EventLoop, log: Log
    ) -> Worker {
        let options = WorkerOptions(
            concurrency: settings.worker.concurrency, lease: settings.worker.lease,
            requestTimeout: settings.worker.requestTimeout, drain: settings.worker.drain, untilIdle: untilIdle)
        let redis = RedisClient(
            loop: loop, endpoint: settings.redis.endpoint, options: .init(name: options.name),
            log: log.labelled("redis"))
        let apps = settings.apps.filter { names.isEmpty || names.contains($0.name) }
        return Worker(
            loop: loop,
            apps: apps.map { app in
                (fleetApp(app, settings, redis, loop), ProviderToken(credentials: app.credentials))
            },
            known: settings.apps.map {
                JobQueue(app: $0.name, environment: $0.environment, prefix: settings.redis.prefix, redis: redis)
            }, options: options, redis: redis,
            subscriber: RedisSubscriber(loop: loop, endpoint: settings.redis.endpoint, log: log.labelled("redis")),
            http: HTTPClient(loop: loop, options: .appStore(version: Kulanz.version)), prefix: settings.redis.prefix,
            database: settings.redis.endpoint.database, log: log)
    }

    private static func fleetApp(
        _ app: AppSettings, _ settings: Settings, _ redis: RedisClient, _ loop: EventLoop
    ) -> FleetApp {
        var options = HTTPClient.Options.appStore(version: Kulanz.version)
        options.caFile = app.caFile
        return FleetApp(
            rules: app.rules,
            queue: JobQueue(
                app: app.name, environment: app.environment, prefix: settings.redis.prefix, redis: redis),
            store: AppStoreClient(baseURL: app.credentials.baseURL, http: HTTPClient(loop: loop, options: options)),
            rate: app.rate, retry: app.retry, holdFor: app.hold, webhook: app.webhook)
    }

    /// Waits on the loop; ends early only by cancellation.
    func sleep(_ time: Duration) async throws { try await LoopDomain(loop).sleep(for: time) }
}

extension Settings {
    func app(called name: String) throws(CommandFailure) -> AppSettings {
        if let app = app(name) { return app }
        let names = apps.map(\.name)
        let near = closest(to: name, in: names)
        throw CommandFailure(
            .noSuchThing,
            "the configuration has no app “\(name)”; "
                + (near.map { "did you mean \($0)?" } ?? "it has \(names.joined(separator: ", "))"))
    }
}
