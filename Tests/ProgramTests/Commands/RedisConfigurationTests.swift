import EventLoop
import Foundation
import Lifecycle
import Redis
import TestSupport
import Testing

/// `config/redis.conf` is what operators start their Redis with.
@Suite struct RedisConfigurationTests {
    @Test func `a server takes the file and then keeps what it acknowledged, evicts nothing and rings`() async throws {
        try await withTemporaryFolder { folder in
            let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            let root = tests.deletingLastPathComponent().deletingLastPathComponent()
            let file = root.appending(path: "config/redis.conf").path
            let socket = folder["redis.sock"]
            let server = try await ChildProcess.start(
                "redis-server",
                .init(
                    arguments: [file, "--port", "0", "--unixsocket", socket, "--dir", folder.path],
                    output: .discarded, errors: .discarded), on: TestLoop.shared)
            let redis = RedisClient(
                loop: TestLoop.shared, endpoint: .unix(socket),
                options: .init(connectTimeout: .seconds(10), commandTimeout: .seconds(30)))
            try await eventually("the server answers") { (try? await redis.send(["PING"])) != nil }
            for (name, value) in [
                ("appendonly", "yes"), ("appendfsync", "always"), ("maxmemory-policy", "noeviction"),
                ("hash-max-listpack-value", "4096"), ("save", ""),
            ] {
                let answer = try await redis.send(["CONFIG", "GET", RedisWord(name)])
                #expect(answer.strings == [name, value])
            }
            let events = try await redis.send(["CONFIG", "GET", "notify-keyspace-events"]).strings?.last ?? ""
            #expect(Set(events) == ["K", "t"])
            await redis.close()
            await server.stop()
        }
    }
}
