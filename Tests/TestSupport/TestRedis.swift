package import EventLoop
package import Redis

/// A real redis-server of one test, and a client of it.
package struct TestRedis: Sendable {
    package let loop: EventLoop
    package let folder: TemporaryFolder
    package let server: PrivateRedis
    package let client: RedisClient
    /// The server's own clock, if the test asked for one that it can set.
    package let clock: SteppedClock?

    package var endpoint: RedisEndpoint { server.endpoint }

    @discardableResult
    package func send(_ words: RedisWord...) async throws(RedisError) -> RedisValue {
        try await client.send(words)
    }

    @discardableResult
    package func run(
        _ script: RedisScript, keys: [String] = [], arguments: [RedisWord] = []
    ) async throws(RedisError) -> RedisValue {
        try await client.run(script, keys: keys, arguments: arguments)
    }
}

/// Starts a redis-server on a socket in a folder of its own, and ends and removes both afterwards.
///
/// Nothing is written to disk unless `persistence` asks for it: a test that kills the server wants `.always`.
/// `hasOwnClock` gives the server a clock that the test can set.
package func withRedis<Result>(
    persistence: PrivateRedis.Persistence = .none, configuration: [String] = [], hasOwnClock: Bool = false,
    options: RedisClient.Options = .init(connectTimeout: .seconds(10), commandTimeout: .seconds(30)),
    loop: EventLoop = TestLoop.shared,
    _ body: (TestRedis) async throws -> Result
) async throws -> Result {
    try await withTemporaryFolder { folder in
        let clock = hasOwnClock ? try SteppedClock(in: folder) : nil
        let server = PrivateRedis(
            loop: loop, folder: folder.path, persistence: persistence, configuration: configuration,
            launcher: Mortal.launcher, environment: clock?.environment)
        try await server.start()
        let client = RedisClient(loop: loop, endpoint: server.endpoint, options: options)
        let outcome = await Swift.Result {
            try await body(TestRedis(loop: loop, folder: folder, server: server, client: client, clock: clock))
        }
        await client.close()
        await server.kill9()
        return try outcome.get()
    }
}

extension Swift.Result where Failure == any Error {
    fileprivate init(catching body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

extension PrivateRedis {
    /// Makes the running server silent until `signal(SIGCONT)`.
    package func freeze() async {
        if let pid { TestSupport.freeze(pid) }
    }
}
