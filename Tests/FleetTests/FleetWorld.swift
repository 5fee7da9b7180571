import AppStore
import AppStoreSimulator
import Crypto
import EventLoop
import Foundation
import HTTP
import Queue
import Redis
import Refunds
import Telemetry
import TestSupport

@testable import Fleet

/// A real Redis, a simulated App Store over real HTTP, and as many workers as a test wants.
struct FleetWorld: Sendable {
    static let bundle = "com.example.audiobooks"

    let redis: TestRedis
    let simulator: Simulator
    let port: UInt16
    let key: SigningKey
    let log: RecordingSink
    /// What the scenario's app is called in the queue.
    let queue: JobQueue
    /// Where workers find the simulator, and what they have to trust for it.
    var baseURL: String
    let caFile: String?
    let front: HTTP2Front?

    func client() -> HTTPClient { HTTPClient(loop: loop, options: .appStore(version: "test", caFile: caFile)) }

    var loop: EventLoop { redis.loop }

    func app(
        _ name: String = "audiobooks", bundle: String = FleetWorld.bundle, rate: GateRate = GateRate(),
        retry: RetryPolicy = RetryPolicy(baseSeconds: 0.05, capSeconds: 0.2), webhook: String? = nil,
        at door: UInt16? = nil, through shared: HTTPClient? = nil
    ) throws -> (app: FleetApp, token: ProviderToken) {
        let base = try BaseURL(door.map { "http://127.0.0.1:\($0)" } ?? baseURL)
        let credentials = try AppCredentials(
            bundleId: bundle, issuerId: "57246542-96fe-1a63-e053-0824d011072a", keyId: "2X9R4HXF34", key: key,
            environment: .production, baseURL: base)
        let http = shared ?? client()
        let app = FleetApp(
            rules: AppRules(name: name, environment: .production),
            queue: JobQueue(app: name, environment: .production, redis: redis.client),
            store: AppStoreClient(baseURL: base, http: http), rate: rate, retry: retry, webhook: webhook)
        return (app, ProviderToken(credentials: credentials))
    }

    func worker(
        _ apps: [(app: FleetApp, token: ProviderToken)], _ change: (inout WorkerOptions) -> Void = { _ in }
    ) -> Worker {
        var options = WorkerOptions(
            lease: .seconds(6), requestTimeout: .seconds(2), drain: .seconds(3), beat: .milliseconds(200),
            untilIdle: true)
        change(&options)
        return Worker(
            loop: loop, apps: apps, options: options, redis: redis.client,
            subscriber: RedisSubscriber(loop: loop, endpoint: redis.endpoint),
            http: client(), prefix: "kulanz", database: 0,
            log: Log(to: log, level: .debug, label: "worker"))
    }

    static func job(_ id: String, transaction: String? = nil, app: String = "audiobooks", amount: Int = 4990) -> String
    {
        """
        {"id":"\(id)","app":"\(app)","operation":"refund","transactionId":"\(transaction ?? "2000\(id)")","request":{\
        "items":[{"SKU":"book","refundReason":"FULFILLMENT_ISSUE","refundType":"CUSTOM","refundAmount":\(amount),\
        "revoke":true}],"refundRiskingPreference":false,"currency":"EUR","storefront":"DEU"},"amountIncludesTax":true}
        """
    }

    /// Adds a job as any client of Redis would.
    func add(_ job: String, to lane: Priority = .normal, app: String = "audiobooks") async throws {
        try await redis.send("XADD", RedisWord("kulanz:{\(app)}:jobs:\(lane.rawValue)"), "*", "job", RedisWord(job))
    }
}

func withFleet(
    _ shape: (inout Scenario) -> Void = { _ in }, configuration: [String] = [],
    persistence: PrivateRedis.Persistence = .none, hasOwnClock: Bool = false, over wire: Wire = .plain,
    _ body: (FleetWorld) async throws -> Void
) async throws {
    let key = SigningKey.generate()
    var scenario = Scenario(acceptsAnyApp: true)
    scenario.refusesDoubleRefunds = false
    shape(&scenario)
    try await withRedis(persistence: persistence, configuration: configuration, hasOwnClock: hasOwnClock) { redis in
        var options = SimulatorOptions()
        options.scenario = scenario
        if wire != .plain { options.tlsFolder = redis.folder["tls"] }
        // Apple is another machine: its work must not take the worker's thread.
        let apple = EventLoop(name: "apple")
        defer { apple.stop() }
        let simulator = try Simulator(loop: apple, options: options)
        let port = try await simulator.start()
        let front =
            wire == .http2
            ? try await HTTP2Front(to: port, certificates: redis.folder["tls"], on: redis.loop) : nil
        let base = wire == .plain ? "http://127.0.0.1:\(port)" : "https://localhost:\(front?.port ?? port)"
        let world = FleetWorld(
            redis: redis, simulator: simulator, port: port, key: key, log: RecordingSink(),
            queue: JobQueue(app: "audiobooks", environment: .production, redis: redis.client),
            baseURL: base, caFile: simulator.caFile, front: front)
        do {
            try await body(world)
        } catch {
            await front?.stop()
            await simulator.stop()
            throw error
        }
        await front?.stop()
        await simulator.stop()
    }
}
