import EventLoop
import Foundation
import Redis
import TestSupport
import Testing

@Suite struct RedisClientTests {
    @Test func `a value comes back as it went`() async throws {
        try await withRedis { redis in
            let bytes: [UInt8] = [0, 13, 10, 255, 36]
            try await redis.send("SET", "key", RedisWord(bytes))
            #expect(try await redis.send("GET", "key") == .bulk(bytes))
            #expect(try await redis.send("GET", "nothing") == .null)
            #expect(try await redis.send("SET", "empty", "") == .simple("OK"))
            #expect(try await redis.send("GET", "empty") == .bulk([]))
            #expect(try await redis.send("INCRBY", "n", "9007199254740993") == .integer(9_007_199_254_740_993))
        }
    }

    @Test func `a value of two megabytes survives both ways`() async throws {
        try await withRedis { redis in
            let bytes = (0..<2 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask { try await redis.send("SET", RedisWord("big:\(number)"), RedisWord(bytes)) }
                }
                try await group.waitForAll()
            }
            for number in 0..<8 {
                #expect(try await redis.send("GET", RedisWord("big:\(number)")).bytes == bytes)
            }
        }
    }

    @Test func `tables of Lua come as nested arrays, errors inside them too`() async throws {
        try await withRedis { redis in
            let source = """
                return {1, 'two', {false, {redis.status_reply('OK'), redis.error_reply('OOM full')}, {}}, {{{{'deep'}}}}}
                """
            let value = try await redis.run(RedisScript(name: "nested", source: source))
            let expected: RedisValue = .array([
                .integer(1), .bulk(Array("two".utf8)),
                .array([.null, .array([.simple("OK"), .error(RedisServerError("OOM full"))]), .array([])]),
                .array([.array([.array([.array([.bulk(Array("deep".utf8))])])])]),
            ])
            #expect(value == expected)
        }
    }

    @Test func `twenty thousand concurrent calls get their own answers over one connection`() async throws {
        try await withRedis { redis in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<20_000 {
                    group.addTask {
                        try await redis.send("SET", RedisWord("key:\(number)"), RedisWord(number))
                        return try await redis.send("GET", RedisWord("key:\(number)")).integer == Int64(number)
                    }
                }
                for try await isOwn in group { #expect(isOwn) }
            }
            #expect(try await redis.send("DBSIZE").integer == 20_000)
            let clients = try await redis.send("CLIENT", "LIST").string ?? ""
            #expect(clients.split(separator: "\n").count == 1)
        }
    }

    @Test func `a script is loaded when the server doesn't know it, also while the cache is flushed under load`()
        async throws
    {
        try await withRedis { redis in
            let script = RedisScript(name: "count", source: "return redis.call('INCR', KEYS[1])")
            let isDone = EventRecorder<Void>()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    while isDone.events.count < 20 { try await redis.send("SCRIPT", "FLUSH") }
                }
                for _ in 0..<20 {
                    group.addTask {
                        for _ in 0..<100 { try await redis.run(script, keys: ["n"]) }
                        isDone.record(())
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await redis.send("GET", "n").integer == 2000)
        }
    }

    @Test func `a deadline passes, the connection is made anew, and others wait for it`() async throws {
        try await withRedis { redis in
            try await redis.send("SET", "a", "1")
            await redis.server.freeze()
            let error = await #expect(throws: RedisError.self) {
                try await redis.client.send(["INCR", "a"], timeout: .milliseconds(100))
            }
            #expect(error == .timedOut(mayHaveRun: true))
            async let later = redis.send("GET", "b")
            await redis.server.signal(SIGCONT)
            #expect(try await later == .null)
        }
    }

    @Test func `killed connections under load cost some calls and never the order`() async throws {
        try await withRedis { redis in
            let killer = RedisClient(loop: redis.loop, endpoint: redis.endpoint)
            let answers = EventRecorder<Void>()
            let lost = EventRecorder<RedisError>()
            let isOver = EventRecorder<Void>()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for _ in 0..<20 {
                        // Everybody but itself (SKIPME is the default); then consumption must resume.
                        _ = try await killer.send(["CLIENT", "KILL", "TYPE", "normal"])
                        let before = answers.events.count
                        try await answers.events { $0.count >= before + 100 }
                    }
                    isOver.record(())
                }
                for worker in 0..<10 {
                    group.addTask {
                        var number = 0
                        while isOver.events.isEmpty {
                            number += 1
                            let text = "\(worker):\(number)"
                            do throws(RedisError) {
                                #expect(try await redis.send("ECHO", RedisWord(text)).string == text)
                                answers.record(())
                            } catch {
                                lost.record(error)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(lost.events.allSatisfy { $0 == .connectionLost(mayHaveRun: true) })
            #expect(try await redis.send("PING") == .simple("PONG"))
            await killer.close()
        }
    }

    @Test func `a killed and restarted server is another run of the same data`() async throws {
        try await withRedis(persistence: .always) { redis in
            let states = EventRecorder<RedisConnectionState>()
            let following = states.follow(redis.client.states)
            for number in 0..<50 { try await redis.send("RPUSH", "list", RedisWord(number)) }
            await redis.server.kill9()
            async let length = redis.send("LLEN", "list")
            try await redis.server.start()
            #expect(try await length.integer == 50)
            let seen = try await states.first(3)
            guard case .connected(let before?) = seen[0], case .connected(let after?) = seen[2] else {
                Issue.record("no run ids in \(seen)")
                return
            }
            #expect(seen[1] == .disconnected)
            #expect(before != after)
            following.cancel()
        }
    }

    @Test func `a cancelled task doesn't even send`() async throws {
        try await withRedis { redis in
            try await redis.send("SET", "a", "1")
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await redis.send("SET", "a", "2")
            }
            await #expect(throws: RedisError.cancelled(mayHaveRun: false)) { try await task.value }
            #expect(try await redis.send("GET", "a").string == "1")
        }
    }
}
