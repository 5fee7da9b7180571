import EventLoop
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
        }
    }

    @Test func `twenty thousand concurrent calls get their own answers`() async throws {
        try await withRedis { redis in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<20_000 {
                    group.addTask {
                        try await redis.send("ECHO", RedisWord(number)).integer == Int64(number)
                    }
                }
                for try await isOwn in group { #expect(isOwn) }
            }
        }
    }
}
