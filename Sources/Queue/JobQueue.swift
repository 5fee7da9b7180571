package import Redis
package import Refunds

/// One app's jobs in Redis: each move is one script, each place has one owner.
///
/// Every method may be called again after a failure that left its outcome open: moves are fenced, and what has been
/// done already answers `stale`, `already` or `duplicate`.
package struct JobQueue: Sendable {
    package let app: String
    package let environment: Environment
    package let keys: AppKeys
    package let redis: RedisClient
    let scripts: QueueScripts
    let knownHeaders = KnownHeaders()

    package init(
        app: String, environment: Environment, prefix: String = "kulanz", redis: RedisClient,
        scripts: QueueScripts = .standard
    ) {
        self.app = app
        self.environment = environment
        self.keys = AppKeys(prefix: prefix, app: app)
        self.redis = redis
        self.scripts = scripts
    }

    func run(_ script: ScriptName, _ arguments: [RedisWord]) async throws(QueueError) -> RedisValue {
        do {
            return try await redis.run(scripts[script], keys: [keys.base], arguments: arguments)
        } catch {
            throw QueueError(script.rawValue, app: app, error)
        }
    }

    func read(_ words: [RedisWord]) async throws(QueueError) -> RedisValue {
        do {
            return try await redis.send(words)
        } catch {
            throw QueueError("read", app: app, error)
        }
    }
}

/// What went wrong in a move, and in which.
package struct QueueError: Error, Sendable, CustomStringConvertible {
    /// The move's word, or `read`.
    package let move: String
    package let app: String
    package let cause: Cause

    package enum Cause: Sendable {
        case redis(RedisError)
        /// A script answered what this version doesn't know: a newer version's script, or damaged data.
        case unexpectedAnswer(String)
    }

    init(_ move: String, app: String, _ error: RedisError) {
        (self.move, self.app, cause) = (move, app, .redis(error))
    }

    init(_ move: String, app: String, unexpected answer: RedisValue) {
        (self.move, self.app, cause) = (move, app, .unexpectedAnswer(String("\(answer)".prefix(200))))
    }

    package var redisError: RedisError? {
        guard case .redis(let error) = cause else { return nil }
        return error
    }

    /// Whether the move may have happened although no result came back.
    package var mayHaveRun: Bool {
        guard case .redis(let error) = cause else { return true }
        return error.mayHaveRun
    }

    package var description: String {
        switch cause {
        case .redis(let error): "\(move) of app \(app): \(error)"
        case .unexpectedAnswer(let answer): "\(move) of app \(app): an answer that this version doesn't know: \(answer)"
        }
    }
}
