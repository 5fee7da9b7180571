import AppStoreSimulator
import EventLoop
import Foundation
import HTTP
import Queue
import Redis
import Refunds
import Telemetry
import TestSupport

@testable import Fleet

/// Where alarms arrive.
struct AlarmDesk: Sendable {
    let alarms = EventRecorder<JSON>()
    private let server: HTTPServer
    let url: String

    init(loop: EventLoop) async throws {
        let alarms = alarms
        server = HTTPServer(loop: loop, host: "127.0.0.1", port: 0) { request in
            if let alarm = try? JSON(reading: request.body) { alarms.record(alarm) }
            return .respond(status: 204, headers: [], body: [])
        }
        url = "http://127.0.0.1:\(try await server.start())/hook"
    }

    /// What was told so far, in its order.
    var kinds: [String] { alarms.events.compactMap { $0["kind"]?.string } }

    func stop() async { await server.stop() }
}

/// Something that should have happened and did not.
struct NeverHappened: Error, CustomStringConvertible {
    let what: String
    var description: String { "it did not happen that \(what)" }
}

/// Waits until something can be seen in Redis or at Apple; `patience` is for a busy machine and measures nothing.
func eventually(
    _ what: String, within patience: Duration = .seconds(60), _ isSeen: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + patience
    while try await !isSeen() {
        guard ContinuousClock.now < deadline else { throw NeverHappened(what: what) }
        try await LoopDomain(TestLoop.shared).sleep(for: .milliseconds(15))
    }
}

extension FleetWorld {
    /// A worker that runs until `body` has ended, and is then drained.
    @discardableResult
    func working<Result: Sendable>(_ workers: [Worker], _ body: () async throws -> Result) async throws -> Result {
        let runs = workers.map { worker in Task { await worker.run() } }
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        for worker in workers { await worker.drain() }
        for run in runs { _ = await run.value }
        return try result.get()
    }

    /// What arrived but for the HEAD by which a client settles a new connection over TLS.
    func calls() async -> [JournalEntry] { await simulator.entries.filter { $0.endpoint != nil } }

    /// How often each living worker has beaten.
    func beats() async throws -> [String: Int64] {
        try await redis.send("HGETALL", "kulanz:fleet:workers").fields?.mapValues { Beat($0.string ?? "").count } ?? [:]
    }

    /// Lets each of these workers beat so often from now on: so much time has passed in their own eyes.
    func beat(_ number: Int64, by workers: Int) async throws {
        let before = try await beats()
        try await eventually("\(workers) workers beat \(number) times") {
            let now = try await beats()
            return now.count { $0.value - before[$0.key, default: 0] >= number } >= workers
        }
    }

    /// Another worker as far as beats show; it does nothing. Ends with the task.
    func pretending(toBe worker: String, for app: String = "audiobooks") async throws -> Task<Void, Never> {
        let redis = redis
        @Sendable func beat(_ count: Int64) async throws {
            try await redis.send(
                "HSET", "kulanz:fleet:workers", RedisWord(worker), RedisWord(Beat(count: count, apps: [app]).text))
        }
        try await beat(1)
        return Task {
            for count in Int64(2)... {
                guard (try? await beat(count)) != nil, (try? await Task.sleep(for: .milliseconds(50))) != nil else {
                    return
                }
            }
        }
    }

    /// The ledger's lines of a kind, oldest first.
    func ledger(_ kind: String, app: String = "audiobooks") async throws -> [[String: String]] {
        let entries = try await redis.send("XRANGE", RedisWord("kulanz:{\(app)}:ledger"), "-", "+").array ?? []
        return entries.compactMap { $0.array?.last?.fields?.compactMapValues(\.string) }.filter { $0["kind"] == kind }
    }

    func gate(_ field: String, app: String = "audiobooks") async throws -> String? {
        try await redis.send("HGET", RedisWord("kulanz:{\(app)}:gate:refunds"), RedisWord(field)).string
    }

    /// What the retry policy counts.
    func attempts(_ id: String, app: String = "audiobooks") async throws -> Int64? {
        try await redis.send("HGET", RedisWord("kulanz:{\(app)}:job:\(id)"), "attempts").integer
    }

    func queue(_ app: String) -> JobQueue { JobQueue(app: app, environment: .production, redis: redis.client) }

    /// Lines in the log with this text.
    func logged(_ text: String) -> Int { log.events.count { "\($0.message)".contains(text) } }
}
