import AppStoreSimulator
import Crypto
import EventLoop
import Foundation
import Lifecycle
import Queue
import Redis
import Refunds
import TestSupport
import Testing

/// What a test's world looks like.
struct WorldShape: Sendable {
    /// The inside of a JSON5 object. This Apple forgets what it refunded, so that doubles of ours become visible.
    var scenario = ""
    var apps = ["audiobooks"]
    var requestsPerSecond = 5.0
    var guardMs = 25
    var leaseSeconds = 60.0
    var requestTimeoutSeconds = 30.0
    var drainSeconds = 45.0
    var concurrency = 64
    /// Further keys of each app's `retry`.
    var retry = ""
    /// Further lines of redis.conf.
    var redis: [String] = []
    /// How the workers reach Apple.
    var wire = Wire.plain
    /// Whether Redis gets a clock that the test can set. Linux only.
    var redisHasOwnClock = false
}

/// A private Redis that writes everything to disk, Apple in this process, and workers that are processes.
struct ProgramWorld: Sendable {
    let shape: WorldShape
    /// Of this world alone: Apple's stamps are taken on it.
    let loop: EventLoop
    let folder: TemporaryFolder
    let redis: PrivateRedis
    var clock: SteppedClock? = nil
    let client: RedisClient
    let simulator: Simulator
    let port: UInt16
    let crew: Crew
    var front: HTTP2Front? = nil
    /// The inside of `redis` in every configuration, instead of the socket.
    var redisKeys: String?

    /// Where workers find Apple.
    var baseURL: String {
        shape.wire == .plain ? "http://127.0.0.1:\(port)" : "https://localhost:\(front?.port ?? port)"
    }

    static func bundle(_ app: String) -> String { "com.example.\(app)" }

    func queue(_ app: String = "audiobooks") -> JobQueue {
        JobQueue(app: app, environment: .production, redis: client)
    }

    // MARK: Configuration

    /// Writes a configuration and returns its path.
    ///
    /// - Parameters:
    ///   - redis: the socket that the workers take for Redis; a relay's, for instance.
    func configuration(
        _ name: String = "kulanz.json5", redis socket: String? = nil, baseURL: String? = nil, caFile: String? = nil
    ) throws -> String {
        let apps = shape.apps.map { app in
            """
            \(app): {
              bundleId: "\(Self.bundle(app))", issuerId: "57246542-96fe-1a63-e053-0824d011072a", keyId: "2X9R4HXF34",
              privateKey: "file:key.p8", environment: "production", baseURL: "\(baseURL ?? self.baseURL)",
              \((caFile ?? simulator.caFile).map { "caFile: \"\($0)\"," } ?? "")
              limit: { requestsPerSecond: \(shape.requestsPerSecond), guardMs: \(shape.guardMs) },
              retry: { baseSeconds: 0.05, capSeconds: 0.2, \(shape.retry) },
            },
            """
        }
        let text = """
            { redis: { \(redisKeys ?? "url: \"redis+unix://\(socket ?? folder["redis.sock"])\"") },
              apps: { \(apps.joined(separator: "\n")) },
              worker: { concurrency: \(shape.concurrency), leaseSeconds: \(shape.leaseSeconds),
                        requestTimeoutSeconds: \(shape.requestTimeoutSeconds), drainSeconds: \(shape.drainSeconds) } }
            """
        try text.write(toFile: folder[name], atomically: true, encoding: .utf8)
        return folder[name]
    }

    // MARK: Workers

    /// Starts `kulanz worker`, killed at the latest with this world.
    @discardableResult
    func worker(_ arguments: [String] = [], configuration: String? = nil) async throws -> ChildProcess {
        let file = try configuration ?? folder["kulanz.json5"].existing ?? self.configuration()
        return try await crew.start(
            Program.path, ["worker", "--config", file] + arguments, errors: folder["workers.log"], on: loop)
    }

    /// Starts a shell that runs `kulanz` with these words, as scripts and containers do.
    func shell(_ words: String) async throws -> ChildProcess {
        let parts = words.split(separator: ";", maxSplits: 1)
        let rest = parts.count == 2 ? ";\(parts[1])" : ""
        let script = "'\(Program.path)' \(parts[0]) --config '\(try configuration())'\(rest)"
        return try await crew.start("/bin/sh", ["-c", script], errors: folder["workers.log"], on: loop)
    }

    /// Starts so many workers and returns once each has said that it lives.
    func workers(_ number: Int, _ arguments: [String] = []) async throws -> [ChildProcess] {
        var workers: [ChildProcess] = []
        for _ in 0..<number { workers.append(try await worker(arguments)) }
        for worker in workers { try await isAtWork(worker) }
        return workers
    }

    /// Returns once the worker beats.
    func isAtWork(_ worker: ChildProcess) async throws {
        try await eventually("worker \(worker.pid) is at work") {
            guard await worker.isRunning else { throw WorkerEnded(exit: await worker.exit) }
            return try await name(ofWorker: worker.pid) != nil
        }
    }

    /// What the worker with this pid is called in the fleet.
    func name(ofWorker pid: Int32) async throws -> String? {
        let names = try await client.send(["HKEYS", "kulanz:fleet:workers"]).strings ?? []
        return names.first { $0.contains("-\(pid)-") }
    }

    /// Which of the workers holds the youngest lease, and so most likely waits for Apple's answer.
    func sender(among crew: [ChildProcess]) async throws -> Int {
        var found: Int?
        try await eventually("a worker waits for an answer") {
            let leased = try await client.send(["ZRANGE", "kulanz:{audiobooks}:leases", "0", "0", "REV"]).strings
            guard let job = leased?.first,
                let name = try await client.send(["HGET", RedisWord("kulanz:{audiobooks}:job:\(job)"), "worker"])
                    .string
            else { return false }
            found = crew.firstIndex { name.contains("-\($0.pid)-") }
            return found != nil
        }
        return found ?? 0
    }

    /// Runs one more worker until nothing is left that could be sent.
    func workUntilIdle() async throws -> ChildProcess.Exit {
        let exit = await (try await worker(["--until-idle"])).exit
        if exit != .code(0) { for line in log.suffix(30) { print("worker: \(line)") } }
        return exit
    }

    /// What all workers have logged so far.
    var log: [Substring] {
        (try? String(contentsOfFile: folder["workers.log"], encoding: .utf8))?.split(separator: "\n") ?? []
    }

    // MARK: Producing

    /// Adds jobs as any client of Redis would: one XADD each.
    func add(_ jobs: [TestJob], to lane: Priority = .normal) async throws {
        for job in jobs {
            _ = try await client.send(
                ["XADD", RedisWord("kulanz:{\(job.app)}:jobs:\(lane.rawValue)"), "*", "job", RedisWord(job.json)])
        }
    }

    /// The books of these jobs as they stand.
    func books(_ jobs: [TestJob]) async throws -> Books {
        var records: [String: JobRecord] = [:]
        var leftovers: [String] = []
        for app in shape.apps {
            let overview = try await queue(app).overview()
            for (lane, length) in overview.lanes where length > 0 { leftovers.append("\(length) in \(app)'s \(lane)") }
            if overview.inFlight > 0 { leftovers.append("\(overview.inFlight) leases of \(app)") }
        }
        for job in jobs { records[job.key] = try await queue(job.app).show(job.id) }
        // A proxy that is kept from the processor hands on late, and then all at once: its stamps prove nothing.
        let rate = shape.wire == .http2 ? 1_000_000 : shape.requestsPerSecond
        let rates = Dictionary(uniqueKeysWithValues: shape.apps.map { (Self.bundle($0), rate) })
        return Books(
            jobs: jobs, records: records, entries: await calls(), leftovers: leftovers,
            report: await simulator.report(requestsPerSecond: rates))
    }

    /// What arrived but for the HEAD by which a client settles a new connection over TLS.
    func calls() async -> [JournalEntry] { await simulator.entries.filter { $0.endpoint != nil } }

    /// The ledger's lines of a kind.
    func ledger(_ kind: String, app: String = "audiobooks") async throws -> [[String: String]] {
        let entries = try await client.send(["XRANGE", RedisWord("kulanz:{\(app)}:ledger"), "-", "+"]).array ?? []
        return entries.compactMap { $0.array?.last?.fields?.compactMapValues(\.string) }.filter { $0["kind"] == kind }
    }

    /// Redis' own clock, UNIX ms: the one that ledger lines bear.
    func now() async throws -> Int64 { try await queue().now() / 1000 }
}

/// A worker that ended before it had begun.
struct WorkerEnded: Error { let exit: ChildProcess.Exit }

/// Everything that was started, so that nothing outlives its world.
actor Crew {
    private var children: [ChildProcess] = []
    private var strangers: [Int32] = []

    func start(
        _ program: String, _ arguments: [String], errors: String, on loop: EventLoop
    ) async throws -> ChildProcess {
        let child = try await ChildProcess.start(
            program,
            .init(arguments: arguments, output: .discarded, errors: .file(errors), hasOwnSession: true), on: loop)
        children.append(child)
        return child
    }

    /// A process that is no child of ours and must not stay either.
    func adopt(pid: Int32) { strangers.append(pid) }

    func end() async {
        for child in children { await child.kill(SIGKILL) }
        for pid in strangers { kill(pid, SIGKILL) }
        for child in children { _ = await child.exit }
    }
}

extension String {
    fileprivate var existing: String? { FileManager.default.fileExists(atPath: self) ? self : nil }
}

/// Makes a world for `body` and ends everything in it afterwards, also after a failure.
func withProgram(
    _ change: (inout WorldShape) -> Void = { _ in }, _ body: (ProgramWorld) async throws -> Void
) async throws {
    var shape = WorldShape()
    change(&shape)
    await Seats.shared.take()
    let loop = EventLoop(name: "test.world")
    do {
        try await withRedis(
            persistence: .always, configuration: shape.redis, hasOwnClock: shape.redisHasOwnClock, loop: loop
        ) { redis in
            try SigningKey.generate().pemPKCS8.write(
                toFile: redis.folder["key.p8"], atomically: true, encoding: .utf8)
            var options = SimulatorOptions()
            options.scenario = try Scenario(
                json5: Array("{ doubleRefunds: \"accept\", pending: \"never\", \(shape.scenario) }".utf8))
            if shape.wire != .plain { options.tlsFolder = redis.folder["tls"] }
            let simulator = try Simulator(loop: loop, options: options)
            let port = try await simulator.start()
            let front =
                shape.wire == .http2
                ? try await HTTP2Front(to: port, certificates: redis.folder["tls"], on: loop) : nil
            let crew = Crew()
            let world = ProgramWorld(
                shape: shape, loop: loop, folder: redis.folder, redis: redis.server, clock: redis.clock,
                client: redis.client,
                simulator: simulator, port: port, crew: crew, front: front)
            do {
                try await body(world)
                // Whatever came, came over HTTP/2.
                if let front { #expect(front.protocols == ["h2"]) }
            } catch {
                for line in world.log.suffix(30) { print("worker: \(line)") }
                await crew.end()
                await front?.stop()
                await simulator.stop()
                throw error
            }
            await crew.end()
            await front?.stop()
            await simulator.stop()
        }
    } catch {
        loop.stop()
        await Seats.shared.give()
        throw error
    }
    loop.stop()
    await Seats.shared.give()
}
