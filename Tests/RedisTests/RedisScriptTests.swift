import Redis
import TestSupport
import Testing

@Suite struct RedisScriptTests {
    @Test(arguments: [0, 1, 54, 55, 56, 63, 64, 65, 119, 120, 1000])
    func `a script's name is the one that Redis gives it`(length: Int) async throws {
        let script = RedisScript(name: "padded", source: "return 1--" + String(repeating: "é", count: length))
        try await withRedis { redis in
            let name = try await redis.send("SCRIPT", "LOAD", RedisWord(script.source)).string
            #expect(name == script.sha1)
        }
    }
}
