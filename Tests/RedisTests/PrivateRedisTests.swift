import EventLoop
import Foundation
import Redis
import TestSupport
import Testing

@Suite struct PrivateRedisTests {
    @Test func `it keeps what was written over stop and kill`() async throws {
        try await withRedis(persistence: .always) { redis in
            try await redis.send("SET", "a", "1")
            try await redis.server.restart()
            try await redis.send("SET", "b", "2")
            await redis.server.kill9()
            try await redis.server.start()
            #expect(try await redis.send("MGET", "a", "b").strings == ["1", "2"])
        }
    }

    @Test func `it is set up as our redis.conf says`() async throws {
        try await withRedis(persistence: .always) { redis in
            let expected = [
                "maxmemory-policy": "noeviction", "appendonly": "yes", "appendfsync": "always", "save": "",
                "hash-max-listpack-value": "4096", "port": "0",
            ]
            for (name, value) in expected {
                let answer = try await redis.send("CONFIG", "GET", RedisWord(name)).strings
                #expect(answer == [name, value])
            }
            let events = try await redis.send("CONFIG", "GET", "notify-keyspace-events").strings?.last ?? ""
            #expect(Set(events) == ["K", "t"])
        }
    }

    @Test func `a wrong configuration is an error that quotes the server`() async throws {
        try await withTemporaryFolder { folder in
            let server = PrivateRedis(
                loop: TestLoop.shared, folder: folder.path, configuration: ["maxmemory-policy no-such-policy"])
            let error = await #expect(throws: PrivateRedisError.self) { try await server.start() }
            guard case .notStarted(let reason) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.contains("ended at once"))
            #expect(reason.contains("maxmemory-policy"))
        }
    }

    @Test func `a stopped server is gone`() async throws {
        try await withRedis { redis in
            let pid = try #require(await redis.server.pid)
            await redis.server.stop()
            #expect(kill(pid, 0) == -1)
            #expect(await redis.server.pid == nil)
        }
    }
}
