import Configuration
import EventLoop
import Foundation
import Lifecycle
import Redis
import Synchronization
import Telemetry

/// The processes of `kulanz up`, each kept alive, in the order in which they start; they end in reverse.
///
/// What comes between Redis and the workers, or behind them, is one more service here.
struct Household: Sendable {
    let loop: EventLoop
    let settings: Settings
    /// The file that the settings come from.
    let configuration: String
    let logging: LogOption
    let workers: Int

    private static let redis = "redis"
    private func worker(_ number: Int) -> String { "worker-\(number)" }

    private var log: SharedLog {
        SharedLog(style: logging.style, level: logging.level, width: max(Self.redis.count, worker(workers).count))
    }

    func run(until signals: AsyncStream<Int32>, notice: ServiceNotice) async throws -> ServiceGroup.End {
        let words = log.log(of: "up")
        var services: [any Service] = []
        if let folder = settings.redis.embedded { services.append(keptRedis(in: folder, words)) }
        services.append(KeptCrew((1...workers).map { keptWorker($0, words) }))
        services.append(Announcement(notice: notice, log: words, workers: workers, redis: settings.redis.endpoint))
        // A worker ends by itself within its drain and a little; who is late is cut off, which loses nothing.
        let options = ServiceGroup.Options(
            drainTime: settings.worker.drain + .seconds(12), handBackTime: .seconds(20))
        return try await ServiceGroup(services, options: options).run(until: signals)
    }

    // MARK: Redis

    private func keptRedis(in folder: String, _ words: Log) -> KeptChild {
        let log = log
        let events = log.log(of: Self.redis)
        let redis = PrivateRedis(
            loop: loop, folder: folder, persistence: .always, environment: Self.variables,
            output: .lines { line in
                if let entry = RedisLogLine(line) {
                    events(entry.level, entry.message)
                } else {
                    log.pass(line, from: Self.redis)
                }
            })
        // Never given up once it ran: the workers keep what Apple answered meanwhile, and would lose it with us.
        return KeptChild(
            Self.redis, upkeep: Upkeep(givesUpAfter: nil), patience: .seconds(10), loop: loop, log: words
        ) {
            if try await redis.endForgotten() {
                words(.notice, "ended the redis of an earlier kulanz up that was killed", ["folder": folder])
            }
            // A file of many gigabytes is read for minutes; what ends meanwhile is seen.
            try await redis.start(within: .seconds(86_400))
            return KeptChild.Life(pid: await redis.pid, exit: { await redis.exit }, signal: { await redis.signal($0) })
        }
    }

    /// All that redis-server needs to know; our secrets are not among it.
    private static var variables: [String: String] {
        ProcessInfo.processInfo.environment.filter { ["PATH", "TZ", "LANG", "LC_ALL"].contains($0.key) }
    }

    // MARK: Workers

    private func keptWorker(_ number: Int, _ words: Log) -> KeptChild {
        let name = worker(number)
        let arguments = [
            "worker", "--config", configuration, "--until-input-ends", "--log-level", logging.level.rawValue,
            "--log-format", logging.style.rawValue,
        ]
        return KeptChild(
            name, upkeep: Upkeep(givesUpAfter: 5), patience: .seconds(3), loop: loop, log: words
        ) { [loop, log] in
            let child = try await ChildProcess.start(
                Troupe.program,
                .init(
                    arguments: arguments, input: .leash, output: .discarded, errors: .lines, hasOwnSession: true),
                on: loop)
            let last = LastLines()
            let relay = Task {
                for await line in child.errors where !line.isEmpty {
                    last.add(line)
                    log.pass(line, from: name)
                }
            }
            return KeptChild.Life(
                pid: child.pid,
                exit: {
                    let exit = await child.exit
                    await relay.value
                    return exit
                }, signal: { _ = await child.kill($0) }, lastWords: { last.text })
        }
    }
}

/// The last lines that a child wrote.
private final class LastLines: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0 = ($0 + [line]).suffix(4) } }

    var text: String { lines.withLock { $0.joined(separator: "\n") } }
}

/// Several kept children that end together.
actor KeptCrew: DrainingService {
    private let children: [KeptChild]

    init(_ children: [KeptChild]) { self.children = children }

    func quiet() async {
        for child in children { await child.quiet() }
    }

    /// Returns when all have ended. If one is given up the others end in order.
    func run() async throws {
        let failure = await withTaskGroup(of: (any Error)?.self) { group in
            for child in children {
                group.addTask {
                    do {
                        try await child.run()
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            var first: (any Error)?
            for await failure in group {
                guard let failure else { continue }
                if first == nil { await quiet() }
                first = first ?? failure
            }
            return first
        }
        if let failure { throw failure }
    }
}

/// Tells the service manager that all is up, and that the end has begun. The last to start and the first to end.
private struct Announcement: StartingService {
    let notice: ServiceNotice
    let log: Log
    let workers: Int
    let redis: RedisEndpoint

    func start() async {
        log(.notice, "everything runs", ["workers": "\(workers)", "redis": "\(redis)"])
        notice.send("READY=1\nSTATUS=\(workers) workers")
    }

    func run() async {
        let (never, continuation) = AsyncStream<Void>.makeStream()
        await withTaskCancellationHandler {
            for await _ in never {}
        } onCancel: {
            continuation.finish()
        }
        log(.notice, "draining; a second signal ends at once")
        notice.send("STOPPING=1\nSTATUS=draining")
    }
}
