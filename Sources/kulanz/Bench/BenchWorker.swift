import AppStore
import Arguments
import Configuration
import EventLoop
import Fleet
import HTTP
import Queue
import Redis
import Telemetry

/// A worker whose gate holds nothing back, and that may answer its requests itself. Help doesn't list it.
///
/// It can't be let loose on anything real: it reads no configuration but that of a bench's own folder, and serves no
/// Redis but one that bears this folder's mark.
struct BenchWorker: Command {
    static let name = "bench-worker"
    static let summary = "A worker that “kulanz bench” starts for itself."
    static let arguments: [Argument<Self>] = [
        .option("--folder", "FOLDER", \.folder, "The folder of a running bench.").required,
        .option("--transport", "WAY", \.transport, "Over HTTP, or answered at once without a socket."),
        .option("--permits", "N", \.permits, "How many jobs one call may lease."),
    ]

    enum Transport: String, ArgumentValue, CaseIterable, Sendable { case null, http }

    /// The key in a bench's Redis that holds its folder's path.
    static let mark = "kulanz-bench"

    var folder: String?
    var transport = Transport.null
    var permits = 5

    func run() async throws {
        guard let folder else { throw CommandFailure(.usage) }
        let settings = try Settings.read(file: "\(folder)/kulanz.json5", variables: [:])
        let loop = EventLoop()
        let options = WorkerOptions(
            concurrency: settings.worker.concurrency, lease: settings.worker.lease,
            requestTimeout: settings.worker.requestTimeout, drain: settings.worker.drain)
        let redis = RedisClient(loop: loop, endpoint: settings.redis.endpoint, options: .init(name: options.name))
        guard try await redis.send(["GET", RedisWord(Self.mark)]).string == folder else {
            throw CommandFailure(.usage, "this is not the Redis of a running kulanz bench")
        }
        let log = Log(to: LineSink(style: .text), level: .warning, label: "worker")
        let apps = try settings.apps.map { app in
            let fleetApp = FleetApp(
                rules: app.rules,
                queue: JobQueue(
                    app: app.name, environment: app.environment, prefix: settings.redis.prefix, redis: redis),
                store: AppStoreClient(baseURL: app.credentials.baseURL, http: try carrier(in: folder, loop)),
                rate: .open(permitsPerCall: permits), retry: app.retry, holdFor: app.hold)
            return (app: fleetApp, token: ProviderToken(credentials: app.credentials))
        }
        let worker = Worker(
            loop: loop, apps: apps, options: options, redis: redis,
            subscriber: RedisSubscriber(loop: loop, endpoint: settings.redis.endpoint),
            http: HTTPClient(loop: loop, options: .appStore(version: Kulanz.version)), prefix: settings.redis.prefix,
            database: settings.redis.endpoint.database, log: log)
        _ = await worker.run()
    }

    private func carrier(in folder: String, _ loop: EventLoop) throws -> any AppStoreTransport {
        switch transport {
        case .null: try NullTransport(marks: "\(folder)/marks")
        case .http: HTTPClient(loop: loop, options: .appStore(version: Kulanz.version))
        }
    }
}
