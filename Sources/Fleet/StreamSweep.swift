import Arguments
import Queue
import Redis
import Refunds
import Telemetry

/// Finds what producers wrote to the wrong place, and what others deleted from the right one: once an hour, by one worker
/// of the fleet.
///
/// It walks the whole keyspace, some hundreds of keys a call, so that nobody waits for it.
struct StreamSweep: Sendable {
    private let queues: [JobQueue]
    private let prefix: String
    private let redis: RedisClient
    private let period: Duration
    private let log: Log

    /// - Parameter queues: of every app that the configuration knows, whether this worker serves it or not.
    init(queues: [JobQueue], prefix: String, redis: RedisClient, period: Duration, log: Log) {
        self.queues = queues
        self.prefix = prefix
        self.redis = redis
        self.period = period
        self.log = log
    }

    /// How long a sweep may take; whoever took it on and died leaves it to another after that.
    private static let longest = Duration.seconds(600)

    /// Sweeps if nobody did within the last period. `live` is what the apps of the living workers are called.
    func run(as worker: String, live: Set<String>) async {
        let claim = RedisWord("\(prefix):fleet:sweep")
        do {
            let first = min(Self.longest, period)
            let mine = try await redis.send([
                "SET", claim, RedisWord(worker), "NX", "PX", RedisWord(first.milliseconds),
            ])
            guard mine.string == "OK" else { return }
            let strays = try await strays(live: live)
            for queue in queues {
                let raised = try await queue.audit(strays: strays[queue.app] ?? [])
                if raised > 0 { log(.warning, "streams are not as they should be", ["app": queue.app]) }
            }
            _ = try await redis.send(["PEXPIRE", claim, RedisWord(period.milliseconds)])
        } catch {
            log(.warning, "streams could not be looked through", ["error": "\(error)"])
        }
    }

    /// By the app that they seem to be meant for: the one named, else the one with the closest name, else the first.
    private func strays(live: Set<String>) async throws(RedisError) -> [String: [StrayStream]] {
        let known = queues.map(\.app).sorted()
        guard let first = known.first else { return [:] }
        var strays: [String: [StrayStream]] = [:]
        for name in try await streams() where isStray(name, known: live.union(known)) {
            guard let stray = try await StrayStream.look(at: name, through: redis) else { continue }
            let word = StrayStream.app(in: name, prefix: prefix) ?? ""
            let app = known.contains(word) ? word : closest(to: word, in: known) ?? first
            strays[app, default: []].append(stray)
        }
        return strays
    }

    /// Every stream under our prefix.
    private func streams() async throws(RedisError) -> Set<String> {
        // The prefix may have letters that mean something in a pattern.
        let pattern = prefix.reduce(into: "") { $0 += "*?[]^\\".contains($1) ? "\\\($1)" : String($1) } + ":*"
        var names: Set<String> = []
        var cursor = "0"
        repeat {
            let answer = try await redis.send([
                "SCAN", RedisWord(cursor), "MATCH", RedisWord(pattern), "COUNT", "500", "TYPE", "stream",
            ])
            guard let parts = answer.array, parts.count == 2, let next = parts[0].string else { return names }
            names.formUnion(parts[1].strings ?? [])
            cursor = next
        } while cursor != "0"
        return names
    }

    /// Streams that we write for others to read are none, not even those of an app that is configured no more.
    private func isStray(_ name: String, known: Set<String>) -> Bool {
        guard let app = StrayStream.app(in: name, prefix: prefix) else { return false }
        let keys = AppKeys(prefix: prefix, app: app)
        if [keys.dead, keys.ledger, keys.access, keys.alerts, keys.inbox].contains(name) { return false }
        return !known.contains(app) || !Set(Priority.allCases.map(keys.lane)).contains(name)
    }
}
