import EventLoop
import Foundation
import Redis
import Telemetry
import TestSupport
import Testing

/// What a real server says when it can't do what it is asked, and what we make of it.
@Suite struct RedisServerTests {
    private func error(_ body: () async throws(RedisError) -> RedisValue) async -> RedisError? {
        do throws(RedisError) {
            _ = try await body()
            return nil
        } catch {
            return error
        }
    }

    private func expect(
        _ kind: RedisServerError.Kind, mayHaveRun: Bool = false, _ redis: TestRedis, _ words: RedisWord...,
        location: SourceLocation = #_sourceLocation
    ) async {
        let error = await error { () async throws(RedisError) in try await redis.client.send(words) }
        #expect(error?.kind == kind, sourceLocation: location)
        #expect(error?.mayHaveRun == mayHaveRun, sourceLocation: location)
        // A sentence of ours leads, Redis' own words follow.
        #expect(error.map { "\($0)".contains("(Redis: ") } == true, sourceLocation: location)
    }

    @Test func `OOM is known, before a command and inside a script`() async throws {
        try await withRedis { redis in
            try await redis.send("CONFIG", "SET", "maxmemory", "1")
            await expect(.oom, redis, "SET", "a", "b")
            let script = RedisScript(name: "write", source: "return redis.call('SET', KEYS[1], '1')")
            let error = await error { () async throws(RedisError) in try await redis.run(script, keys: ["a"]) }
            #expect(error?.kind == .oom)
            // In the middle of a script something may have been written before.
            #expect(error?.mayHaveRun == true)
            let careful = RedisScript(name: "careful", source: "#!lua\nreturn redis.call('SET', KEYS[1], '1')")
            let refused = await self.error { () async throws(RedisError) in try await redis.run(careful, keys: ["a"]) }
            #expect(refused?.kind == .oom)
            #expect(refused?.mayHaveRun == false)
            let allowed = RedisScript(
                name: "allowed", source: "#!lua flags=allow-oom\nreturn redis.call('SET', KEYS[1], '1')")
            try await redis.run(allowed, keys: ["a"])
        }
    }

    @Test func `READONLY makes the connection anew`() async throws {
        try await withRedis { redis in
            let states = EventRecorder<RedisConnectionState>()
            let following = states.follow(redis.client.states)
            try await redis.send("SET", "a", "1")
            // A replica of nobody: the port is closed.
            try await redis.send("REPLICAOF", "127.0.0.1", "1")
            await expect(.readOnly, redis, "SET", "a", "2")
            try await redis.send("REPLICAOF", "NO", "ONE")
            try await redis.send("SET", "a", "3")
            let seen = try await states.first(3)
            let runId = try await redis.send("INFO", "server").string?.firstMatch(of: /run_id:(\w+)/)?.1
            #expect(runId != nil)
            let connected = RedisConnectionState.connected(runId: runId.map { String($0) })
            #expect(seen == [connected, .disconnected, connected])
            following.cancel()
        }
    }

    @Test func `MISCONF is known`() async throws {
        try await withRedis(configuration: ["save 3600 1000000"]) { redis in
            // The dump can't replace a folder that isn't empty.
            try FileManager.default.createDirectory(
                atPath: redis.folder["dump.rdb/full"], withIntermediateDirectories: true)
            try await redis.send("BGSAVE")
            while try await redis.send("INFO", "persistence").string?.contains("rdb_last_bgsave_status:ok") == true {}
            await expect(.misconf, redis, "SET", "a", "1")
        }
    }

    @Test func `NOPERM, NOAUTH and WRONGPASS are known, and a login works`() async throws {
        try await withRedis { redis in
            try await redis.send("ACL", "SETUSER", "anna", "on", ">s3cret", "~ours:*", "+@all", "-@dangerous")
            var endpoint = redis.endpoint
            endpoint.username = "anna"
            endpoint.password = Secret("s3cret")
            let anna = RedisClient(loop: redis.loop, endpoint: endpoint)
            #expect(try await anna.send(["ACL", "WHOAMI"]).string == "anna")
            let forbidden = await error { () async throws(RedisError) in try await anna.send(["SET", "theirs", "1"]) }
            #expect(forbidden?.kind == .noPerm)
            _ = try await anna.send(["SET", "ours:1", "1"])
            await anna.close()

            endpoint.password = Secret("wrong")
            let stranger = RedisClient(loop: redis.loop, endpoint: endpoint)
            let refused = await error { () async throws(RedisError) in try await stranger.send(["PING"]) }
            #expect(refused?.kind == .wrongPass)
            #expect(refused?.isRetryable == false)
            #expect(refused.map { "\($0)".contains("wrong\"") } == false)
            await stranger.close()

            try await redis.send("ACL", "SETUSER", "default", "resetpass", ">other")
            let nobody = RedisClient(loop: redis.loop, endpoint: redis.endpoint)
            let unknown = await error { () async throws(RedisError) in try await nobody.send(["PING"]) }
            #expect(unknown?.kind == .noAuth)
            await nobody.close()
        }
    }

    @Test func `a database and a name are chosen at the greeting`() async throws {
        try await withRedis { redis in
            var endpoint = redis.endpoint
            endpoint.database = 5
            let client = RedisClient(loop: redis.loop, endpoint: endpoint, options: .init(name: "worker-7"))
            let info = try await client.send(["CLIENT", "INFO"]).string ?? ""
            #expect(info.contains(" db=5 "))
            #expect(info.contains(" name=worker-7 "))
            await client.close()
        }
    }

    @Test func `NOGROUP, BUSYGROUP, WRONGTYPE and NOREPLICAS are known`() async throws {
        try await withRedis { redis in
            await expect(.noGroup, redis, "XREADGROUP", "GROUP", "g", "c", "STREAMS", "s", ">")
            try await redis.send("XGROUP", "CREATE", "s", "g", "0", "MKSTREAM")
            await expect(.busyGroup, redis, "XGROUP", "CREATE", "s", "g", "0")
            await expect(.wrongType, redis, "GET", "s")
            try await redis.send("CONFIG", "SET", "min-replicas-to-write", "1")
            await expect(.noReplicas, redis, "SET", "a", "1")
        }
    }

    @Test func `BUSY is known while a script runs too long`() async throws {
        try await withRedis { redis in
            try await redis.send("CONFIG", "SET", "busy-reply-threshold", "1")
            let other = RedisClient(loop: redis.loop, endpoint: redis.endpoint)
            _ = try await other.send(["PING"])
            let endless = Task {
                await error { () async throws(RedisError) in
                    try await redis.client.run(RedisScript(name: "endless", source: "while true do end"))
                }
            }
            var seen: RedisServerError.Kind?
            while seen == nil {
                seen = await error { () async throws(RedisError) in try await other.send(["GET", "a"]) }?.kind
            }
            #expect(seen == .busy)
            _ = try await other.send(["SCRIPT", "KILL"])
            guard case .server(let killed) = await endless.value else {
                Issue.record("the script was not killed")
                return
            }
            #expect(killed.message.contains("SCRIPT KILL"))
            #expect(killed.mayHaveRun)
            await other.close()
        }
    }

    @Test func `an error never repeats the arguments that Redis quotes`() async throws {
        try await withRedis { redis in
            let error = await error { () async throws(RedisError) in
                try await redis.client.send(["NOSUCHCOMMAND", "a-secret-token"])
            }
            let text = error.map { "\($0)" } ?? ""
            #expect(text.contains("unknown command"))
            #expect(!text.contains("a-secret-token"))
        }
    }

    @Test func `a server that is still loading is waited for`() async throws {
        try await withRedis { redis in
            try await redis.run(
                RedisScript(name: "fill", source: "for i = 1, 2000 do redis.call('SET', 'key:' .. i, i) end"))
            try await redis.send("SAVE")
            await redis.server.kill9()
            let sink = RecordingSink()
            let slow = PrivateRedis(
                loop: redis.loop, folder: redis.folder.path, persistence: .none,
                configuration: ["key-load-delay 500", "loading-process-events-interval-bytes 1024"])
            let client = RedisClient(
                loop: redis.loop, endpoint: slow.endpoint, options: .init(commandTimeout: .seconds(60)),
                log: Log(to: sink, level: .debug, label: "redis"))
            async let started: Void = slow.start()
            // Refused at first, since nobody listens yet; a client that was never connected hears of it at once.
            var size: Int64?
            while size == nil {
                do throws(RedisError) {
                    size = try await client.send(["DBSIZE"]).integer
                } catch {
                    guard case .connectionRefused = error else { throw error }
                }
            }
            try await started
            #expect(size == 2000)
            #expect(sink.events.contains { $0["reason"]?.contains("LOADING") == true })
            await client.close()
            await slow.kill9()
        }
    }
}
