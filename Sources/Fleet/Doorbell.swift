import EventLoop
import Queue
import Redis
import Refunds
import Telemetry

/// Wakes the dispatchers: our own scripts' bells, producers' raw XADDs, and a sweep for what neither announced.
struct Doorbell: Sendable {
    private let subscriber: RedisSubscriber
    private let redis: RedisClient
    private let apps: [FleetApp]
    private let database: Int
    private let log: Log

    init(subscriber: RedisSubscriber, redis: RedisClient, apps: [FleetApp], database: Int, log: Log) {
        self.subscriber = subscriber
        self.redis = redis
        self.apps = apps
        self.database = database
        self.log = log
    }

    /// Rings `ring` with an app's name; after a loss of the connection with each app's, since bells were missed.
    func listen(_ ring: @escaping @Sendable (String) async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.hear(ring) }
            let announcing = await self.announcing()
            guard announcing != .yes, !Task.isCancelled, apps.count <= Self.appsThatMayBlock else { return }
            if announcing == .no {
                log(
                    .notice, "Redis announces no XADD; reading the lanes instead",
                    ["do": "CONFIG SET notify-keyspace-events Kt (see config/redis.conf)"])
            } else {
                log(.info, "This user may not ask whether Redis announces XADDs; reading the lanes as well")
            }
            group.addTask { await self.read(ring) }
        }
    }

    private enum Announcing { case yes, no, forbiddenToAsk }

    /// A blocking read names every lane each time it is issued; with thousands that would cost milliseconds.
    private static let appsThatMayBlock = 30

    private func hear(_ ring: @escaping @Sendable (String) async -> Void) async {
        var owner: [String: String] = [:]
        var additions: [String] = []
        for app in apps {
            owner[app.queue.keys.bell] = app.name
            for lane in Priority.allCases {
                let channel = app.queue.keys.additions(to: lane, database: database)
                owner[channel] = app.name
                additions.append(channel)
            }
        }
        let bells = apps.map(\.queue.keys.bell)
        let messages = await subscriber.messages(channels: additions, sharded: bells, where: Self.isBell)
        for await message in messages {
            switch message {
            case .subscribed, .resubscribed: for app in apps { await ring(app.name) }
            case .message(let channel, _): if let app = owner[channel] { await ring(app) }
            case .refused(let channel, let error):
                log(.warning, "Redis refuses a channel", ["channel": channel, "error": "\(error)"])
            }
        }
    }

    /// A lane also announces its deletions and acknowledgements.
    private static func isBell(_ message: RedisMessage) -> Bool {
        guard case .message(let channel, let payload) = message, channel.hasPrefix("__keyspace@") else { return true }
        return payload.elementsEqual("xadd".utf8)
    }

    private func announcing() async -> Announcing {
        while !Task.isCancelled {
            do {
                let answer = try await redis.send(["CONFIG", "GET", "notify-keyspace-events"])
                let flags = answer.strings?.last ?? ""
                return flags.contains("K") && (flags.contains("t") || flags.contains("A")) ? .yes : .no
            } catch {
                // Some services have no CONFIG at all.
                if case .server(let refusal) = error, !refusal.isPassing { return .forbiddenToAsk }
                try? await LoopDomain(redis.loop).sleep(for: .seconds(1))
            }
        }
        return .forbiddenToAsk
    }

    /// Waits for entries newer than the newest; it consumes nothing.
    private func read(_ ring: @escaping @Sendable (String) async -> Void) async {
        var owner: [String: String] = [:]
        for app in apps { for lane in Priority.allCases { owner[app.queue.keys.lane(lane)] = app.name } }
        let lanes = owner.keys.sorted()
        var newest = [String](repeating: "$", count: lanes.count)
        while !Task.isCancelled {
            let words: [RedisWord] =
                ["XREAD", "COUNT", "1", "BLOCK", "5000", "STREAMS"] + lanes.map { RedisWord($0) }
                + newest.map { RedisWord($0) }
            let answer: RedisValue
            do {
                answer = try await subscriber.blockingRead(words, blocking: .seconds(5))
            } catch {
                if error.kind == .noPerm {
                    return log(
                        .warning, "Redis lets this user not read the lanes; the sweep finds new jobs, within seconds",
                        ["error": "\(error)"])
                }
                newest = [String](repeating: "$", count: lanes.count)
                try? await LoopDomain(redis.loop).sleep(for: .seconds(1))
                for app in apps { await ring(app.name) }
                continue
            }
            for stream in answer.array ?? [] {
                guard let parts = stream.array, let lane = parts.first?.string, let app = owner[lane],
                    let index = lanes.firstIndex(of: lane),
                    let id = parts.last?.array?.last?.array?.first?.string
                else { continue }
                newest[index] = id
                await ring(app)
            }
        }
    }
}
