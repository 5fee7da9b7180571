import Crypto
import EventLoop
import Foundation
import HTTP
import Lifecycle
import Measurement
import Queue
import Redis
import Refunds

/// The world of one repetition: a folder, a fresh Redis, a configuration, and what runs on them.
struct BenchRig: Sendable {
    enum Way: String, Sendable, CaseIterable {
        case xadd, enqueue

        var words: String { self == .xadd ? "by XADD" : "by enqueue" }
    }

    let folder: String
    let troupe: Troupe
    let redis: PrivateRedis
    /// Redis' on 127.0.0.1: all talk to it over TCP, as the peers do.
    let port: UInt16
    let client: RedisClient
    let queue: JobQueue
    let domain: LoopDomain

    /// Gives `body` a rig and takes it down again.
    static func use<Result>(
        in house: BenchHouse, _ body: (BenchRig) async throws -> Result
    ) async throws -> Result {
        let rig = try await BenchRig(in: house)
        do {
            let result = try await body(rig)
            await rig.close()
            return result
        } catch {
            await rig.close()
            throw error
        }
    }

    private init(in house: BenchHouse) async throws {
        folder = house.folder["\(UInt32.random(in: .min ... .max))"]
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        troupe = house.troupe
        port = try await Self.freePort(house.loop)
        redis = PrivateRedis(loop: house.loop, folder: folder, persistence: .none, port: port)
        client = RedisClient(
            loop: house.loop, endpoint: .tcp("127.0.0.1", port),
            options: .init(commandTimeout: .seconds(60), name: "bench"))
        queue = JobQueue(app: BenchJob.app, environment: .production, redis: client)
        domain = LoopDomain(house.loop)
        try SigningKey.generate().pemPKCS8.write(toFile: "\(folder)/key.p8", atomically: true, encoding: .utf8)
        try await troupe.start(redis)
        _ = try await client.send(["SET", RedisWord(BenchWorker.mark), RedisWord(folder)])
        // The first call of each script would send it along, and with hundreds at once each would.
        for script in ScriptName.allCases {
            _ = try await client.send(["SCRIPT", "LOAD", RedisWord(QueueScripts.standard[script].source)])
        }
    }

    /// One that was free a moment ago.
    private static func freePort(_ loop: EventLoop) async throws -> UInt16 {
        let server = HTTPServer(loop: loop, host: "127.0.0.1", port: 0) { _ in .cut }
        let port = try await server.start()
        await server.stop()
        return port
    }

    private func close() async {
        await client.close()
        await troupe.clear()
        try? FileManager.default.removeItem(atPath: folder)
    }

    // MARK: Apple

    var journal: String { "\(folder)/journal.jsonl" }

    /// Starts the simulator, which checks every token and limits nothing, and writes a configuration that leads there.
    func startSimulator(latencyMs: Int = 0, isWrittenDown: Bool = true, worker: String = "") async throws
        -> ChildProcess
    {
        let scenario = """
            { apps: { "com.example.bench": { issuerId: "i", keyId: "k", privateKey: "file:\(folder)/key.p8", limit: {} } },
              conventions: false, latencyMs: \(latencyMs), repeats: "replay-200", doubleRefunds: "accept" }
            """
        try scenario.write(toFile: "\(folder)/scenario.json5", atomically: true, encoding: .utf8)
        let words = ["simulate", "--port", "0", "--scenario", "\(folder)/scenario.json5"]
        let child = try await troupe.start(
            words + (isWrittenDown ? ["--journal", journal] : []), log: "\(folder)/simulator.log", output: .lines)
        for await line in child.output {
            guard let port = line.firstMatch(of: /127\.0\.0\.1:([0-9]+)/).flatMap({ UInt16($0.1) }) else { continue }
            try configure(port: port, worker: worker)
            return child
        }
        throw BenchFailure("the simulator did not start. \(Troupe.lastWords(in: "\(folder)/simulator.log"))")
    }

    /// Production's own values, but for what is said of the worker; nobody listens at port 9.
    func configure(port apple: UInt16 = 9, worker: String = "") throws {
        try """
        {
          redis: { url: "redis://127.0.0.1:\(port)/0" },
          apps: { \(BenchJob.app): {
            bundleId: "com.example.bench", environment: "production", issuerId: "i", keyId: "k",
            privateKey: "file:key.p8", baseURL: "http://127.0.0.1:\(apple)" } },
          worker: { \(worker) },
        }
        """.write(toFile: "\(folder)/kulanz.json5", atomically: true, encoding: .utf8)
    }

    // MARK: Jobs and workers

    /// Puts the jobs of these numbers into the queue, many on their way at once.
    func fill(_ numbers: Range<Int>, _ way: Way, atOnce: Int = 500) async throws {
        let lane = RedisWord(queue.keys.lane(.normal))
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: atOnce) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in start..<min(start + atOnce, numbers.upperBound) {
                    switch way {
                    case .xadd:
                        group.addTask { [client] in
                            _ = try await client.send(["XADD", lane, "*", "job", RedisWord(BenchJob.text(number))])
                        }
                    case .enqueue: group.addTask { [queue] in _ = try await queue.enqueue(BenchJob.job(number)) }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// Starts workers as production has them.
    func startWorkers(_ count: Int = 2) async throws -> [ChildProcess] {
        try await startWorkers(count, ["worker", "--config", "\(folder)/kulanz.json5"])
    }

    /// Starts workers whose gate is open and whose requests go that way.
    func startOpenWorkers(
        _ transport: BenchWorker.Transport, permitsPerCall: Int, count: Int = 2
    ) async throws -> [ChildProcess] {
        try await startWorkers(
            count,
            [
                BenchWorker.name, "--folder", folder, "--transport", transport.rawValue, "--permits",
                "\(permitsPerCall)",
            ])
    }

    private func startWorkers(_ count: Int, _ words: [String]) async throws -> [ChildProcess] {
        let known = try await beating()
        var workers: [ChildProcess] = []
        for number in 1...count {
            workers.append(try await troupe.start(words, log: "\(folder)/worker-\(number).log"))
        }
        try await wait(for: "the workers") { try await beating() >= known + count }
        return workers
    }

    /// How many workers have shown themselves.
    private func beating() async throws -> Int {
        Int(try await client.send(["HLEN", "kulanz:fleet:workers"]).integer ?? 0)
    }

    /// Looks every few milliseconds until it is so.
    func wait(
        for what: String, within limit: Duration = .seconds(300), _ isSo: () async throws -> Bool
    ) async throws {
        let deadline = ContinuousClock.now + limit
        while try await !isSo() {
            guard ContinuousClock.now < deadline else {
                throw BenchFailure(
                    "\(what) took more than \(limit). \(Troupe.lastWords(in: "\(folder)/worker-1.log"))")
            }
            try await domain.sleep(for: .milliseconds(5))
        }
    }

    /// Holds all jobs back until `body` has looked; what follows is nothing but work.
    func pause() async throws { _ = try await queue.pause(reason: "bench", act: Self.act) }
    func resume() async throws { _ = try await queue.resume(act: Self.act) }
    private static let act = Act(by: "bench", why: "measuring")

    /// How many jobs Apple has accepted and the fleet has recorded.
    func accepted() async throws -> Int {
        Int(try await client.send(["ZCARD", RedisWord(queue.keys.followups)]).integer ?? 0)
    }

    /// Processor time that Redis has used.
    func redisSeconds() async throws -> Double { try await info("cpu").cpuSeconds }

    func info(_ section: RedisWord) async throws -> RedisInfo {
        RedisInfo(try await client.send(["INFO", section]).string ?? "")
    }
}
