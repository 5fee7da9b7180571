import EventLoop
import Foundation
import Lifecycle
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

    @Test func `its folder may have blanks and quotes in its path`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder["it's a \"folder\""]
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            let server = PrivateRedis(loop: TestLoop.shared, folder: path)
            try await server.start()
            await server.stop()
            #expect(FileManager.default.fileExists(atPath: path + "/appendonlydir"))
        }
    }

    @Test func `its words go line by line to who asks for them, the last to the error`() async throws {
        try await withTemporaryFolder { folder in
            let lines = EventRecorder<String>()
            let server = PrivateRedis(
                loop: TestLoop.shared, folder: folder.path, output: .lines { lines.record($0) })
            try await server.start()
            try await lines.events { $0.contains { $0.contains("ready to accept connections") } }
            await server.stop()
            try await lines.events { $0.contains { $0.contains("bye bye") } }
            #expect(!FileManager.default.fileExists(atPath: folder["redis.log"]))
            let wrong = PrivateRedis(
                loop: TestLoop.shared, folder: folder.path, configuration: ["maxmemory-policy no-such-policy"],
                output: .lines { lines.record($0) })
            await #expect(throws: PrivateRedisError.self) { try await wrong.start() }
            try await lines.events { $0.contains { $0.contains("maxmemory-policy") } }
        }
    }

    @Test(arguments: [false, true])
    func `a server that a killed process left behind is ended, even one that is stopped`(isStopped: Bool) async throws {
        try await withRedis(persistence: .always) { redis in
            try await redis.send("SET", "a", "1")
            let pid = try #require(await redis.server.pid)
            if isStopped { await redis.server.freeze() }
            // Another process would be another object; what counts is who listens.
            let next = PrivateRedis(loop: redis.loop, folder: redis.folder.path)
            #expect(try await next.endForgotten(patience: isStopped ? .milliseconds(50) : .seconds(30)))
            let expected: ChildProcess.Exit = isStopped ? .signal(SIGKILL) : .code(0)
            #expect(await redis.server.exit == expected)
            #expect(kill(pid, 0) == -1)
            #expect(try await !next.endForgotten())
            try await next.start()
            #expect(try await redis.send("GET", "a").string == "1")
            await next.kill9()
            #expect(try await !next.endForgotten(), "its socket lies there still")
        }
    }
}
