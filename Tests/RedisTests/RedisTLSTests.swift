import EventLoop
import Foundation
import Redis
import Telemetry
import TestSupport
import Testing

/// A real redis-server's TLS port, from both kinds of connection.
@Suite struct `Redis over TLS` {
    private static let patient = RedisClient.Options(connectTimeout: .seconds(30), commandTimeout: .seconds(60))

    private func with<Result>(
        _ endpoint: RedisEndpoint, _ body: (RedisClient) async throws -> Result
    ) async throws -> Result {
        let client = RedisClient(loop: TestLoop.shared, endpoint: endpoint, options: Self.patient)
        do {
            let result = try await body(client)
            await client.close()
            return result
        } catch {
            await client.close()
            throw error
        }
    }

    private func error(of client: RedisClient) async -> RedisError? {
        do throws(RedisError) {
            _ = try await client.send(["PING"])
            return nil
        } catch {
            return error
        }
    }

    private func answers(_ client: RedisClient) async throws {
        let answer = try await client.send(["PING"])
        #expect(answer == .simple("PONG"))
    }

    private func failure(of endpoint: RedisEndpoint) async throws -> RedisTLSError? {
        try await with(endpoint) { client in
            let error = await error(of: client)
            #expect(error?.mayHaveRun == false)
            guard case .insecure(let reason) = error else {
                Issue.record("another failure: \(String(describing: error))")
                return nil
            }
            return reason
        }
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func `a server is known by its name and by its address`(host: String) async throws {
        try await withTLSRedis { world in
            try await with(world.endpoint(host)) { client in
                try await answers(client)
                let clients = try await client.send(["CLIENT", "LIST"]).string ?? ""
                #expect(clients.contains("name=kulanz"))
            }
        }
    }

    @Test func `an answer and a question of many records arrive whole, and so do thousands of small ones`() async throws
    {
        try await withTLSRedis { world in
            try await with(world.endpoint) { client in
                let big = (0..<9_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
                _ = try await client.send(["SET", "big", RedisWord(big)])
                #expect(try await client.send(["GET", "big"]).bytes == big)
                let total = try await withThrowingTaskGroup(of: Int64.self) { group in
                    for _ in 0..<3000 { group.addTask { try await client.send(["INCR", "n"]).integer ?? 0 } }
                    return try await group.reduce(0) { max($0, $1) }
                }
                #expect(total == 3000)
            }
        }
    }

    @Test func `what a stopped server doesn't take waits, and goes whole once it goes on`() async throws {
        try await withTLSRedis { world in
            try await with(world.endpoint) { client in
                _ = try await client.send(["PING"])
                await world.redis.server.freeze()
                let big = [UInt8](repeating: 7, count: 20_000_000)
                // Immediate tasks, here and below: two of `async let` may reach the client in either order.
                let first = Task.immediate { try await client.send(["SET", "big", RedisWord(big)]) }
                let second = Task.immediate { try await client.send(["STRLEN", "big"]) }
                try await Task.sleep(for: .milliseconds(50))
                await world.redis.server.signal(SIGCONT)
                #expect(try await first.value == .simple("OK"))
                #expect(try await second.value == .integer(20_000_000))
            }
        }
    }

    @Test func `a silent server costs the call its deadline, and what had not left whole is sent again`() async throws {
        try await withTLSRedis { world in
            try await with(world.endpoint) { client in
                _ = try await client.send(["SET", "n", "0"])
                await world.redis.server.freeze()
                let big = [UInt8](repeating: 7, count: 30_000_000)
                // In front lies far more than any buffer of the kernel's takes: the INCR behind it never leaves.
                let stuck = Task.immediate {
                    try? await client.send(["SET", "big", RedisWord(big)], timeout: .seconds(1))
                }
                let behind = Task.immediate { try await client.send(["INCR", "n"]) }
                #expect(await stuck.value == nil)
                await world.redis.server.signal(SIGCONT)
                #expect(try await behind.value == .integer(1))
                #expect(try await client.send(["GET", "n"]).string == "1")
            }
        }
    }

    @Test func `subscriptions and blocking reads go over TLS too, in any database`() async throws {
        try await withTLSRedis { world in
            var endpoint = world.endpoint
            endpoint.database = 3
            let subscriber = RedisSubscriber(loop: TestLoop.shared, endpoint: endpoint, options: Self.patient)
            let heard = EventRecorder<RedisMessage>()
            let following = heard.follow(
                await subscriber.messages(channels: ["__keyspace@3__:lane"], sharded: ["bell"]))
            try await heard.contains(.subscribed)
            try await with(endpoint) { client in
                let read = Task {
                    try await subscriber.blockingRead(
                        ["XREAD", "BLOCK", "60000", "STREAMS", "lane", "0"], blocking: .seconds(60))
                }
                _ = try await client.send(["XADD", "lane", "*", "job", "x"])
                try await heard.contains(.message(channel: "__keyspace@3__:lane", payload: Array("xadd".utf8)))
                _ = try await client.send(["SPUBLISH", "bell", "ring"])
                try await heard.contains(.message(channel: "bell", payload: Array("ring".utf8)))
                #expect(try await read.value.array?.first?.array?.first?.string == "lane")
                // The connection is gone and comes back by itself.
                try await world.redis.send("CLIENT", "KILL", "TYPE", "pubsub")
                try await heard.contains(.resubscribed)
            }
            following.cancel()
            await subscriber.close()
        }
    }

    @Test func `a user logs in, and a wrong password is told by the server`() async throws {
        try await withTLSRedis { world in
            try await world.redis.send("ACL", "SETUSER", "anna", "on", ">s3cret", "+ping", "+client|setname", "+info")
            var endpoint = world.endpoint
            endpoint.username = "anna"
            endpoint.password = Secret("s3cret")
            try await with(endpoint) { client in try await answers(client) }
            endpoint.password = Secret("wrong")
            try await with(endpoint) { client in
                let error = await error(of: client)
                #expect(error?.kind == .wrongPass)
            }
        }
    }

    // MARK: Whom we don't trust

    @Test func `a server of an unknown authority is refused, by the system's trust and by another file`() async throws {
        try await withTLSRedis { world in
            let other = try await TestAuthority("stranger", in: world.folder)
            for file in [nil, other.caFile] {
                let failure = try await failure(of: world.endpoint(tls: RedisTLS(caFile: file)))
                #expect(failure == .unknownAuthority(issuer: "CN=Test authority", caFile: file))
            }
        }
    }

    @Test(arguments: [
        ("localhost", "DNS:redis.example.com,IP:192.0.2.1", "DNS:redis.example.com, IP Address:192.0.2.1"),
        // An address isn't looked for among the names.
        ("127.0.0.1", "DNS:localhost,DNS:127.0.0.1", "DNS:localhost, DNS:127.0.0.1"),
        // The subject, CN=localhost, is for people.
        ("localhost", "", "no name at all"),
    ])
    func `a certificate for somebody else is refused, and its names are told`(
        host: String, names: String, told: String
    ) async throws {
        try await withTLSRedis(names: names) { world in
            let failure = try await failure(of: world.endpoint(host))
            #expect(failure == .wrongHost(host, names: told))
        }
    }

    @Test func `an expired certificate and one of the future are told apart`() async throws {
        try await withTLSRedis(validity: ("20200101000000Z", "20210101000000Z")) { world in
            let failure = try await failure(of: world.endpoint)
            #expect(failure == .expired("Jan  1 00:00:00 2021 GMT"))
        }
        try await withTLSRedis(validity: ("20980101000000Z", "20990101000000Z")) { world in
            let failure = try await failure(of: world.endpoint)
            #expect(failure == .notYetValid("Jan  1 00:00:00 2098 GMT"))
        }
    }

    // MARK: Who we are

    @Test(arguments: ["TLSv1.3", "TLSv1.2"])
    func `a server that asks for a certificate gets ours, and says so when there is none or a stranger's`(
        version: String
    ) async throws {
        try await withTLSRedis(configuration: ["tls-auth-clients yes", "tls-protocols \(version)"]) { world in
            let ours = try await world.authority.issue("client", for: "")
            var tls = RedisTLS(
                caFile: world.authority.caFile, certificateFile: ours.file, keyFile: ours.keyFile)
            try await with(world.endpoint(tls: tls)) { client in
                try await answers(client)
            }
            let anonymous = try await failure(of: world.endpoint)
            #expect(anonymous == .certificateWanted)
            let stranger = try await TestAuthority("stranger", in: world.folder).issue("alien", for: "")
            (tls.certificateFile, tls.keyFile) = (stranger.file, stranger.keyFile)
            guard case .certificateRefused(let reason) = try await failure(of: world.endpoint(tls: tls)) else {
                Issue.record("not refused")
                return
            }
            #expect(reason.contains("unknown ca"))
        }
    }

    @Test func `certificates are renewed by replacing the files`() async throws {
        try await withTLSRedis(configuration: ["tls-auth-clients yes"]) { world in
            let alien = try await TestAuthority("stranger", in: world.folder).issue("client", for: "")
            let endpoint = world.endpoint(
                tls: RedisTLS(caFile: world.authority.caFile, certificateFile: alien.file, keyFile: alien.keyFile))
            try await with(endpoint) { client in
                await #expect(throws: RedisError.self) { try await client.send(["PING"]) }
                _ = try await world.authority.issue("client", for: "")
                try await answers(client)
            }
        }
    }

    @Test func `files that can't be used are named`() async throws {
        try await withTemporaryFolder { folder in
            let authority = try await TestAuthority(in: folder)
            let one = try await authority.issue("one")
            let two = try await authority.issue("two")
            let encrypted = folder["locked.key"]
            let lock = try await ShortCommand.run(
                "openssl", ["ec", "-in", one.keyFile, "-aes256", "-passout", "pass:x", "-out", encrypted])
            #expect(lock.status == 0)
            let missing = folder["missing.pem"]
            for (tls, error) in [
                (RedisTLS(caFile: missing), RedisTLSError.unreadableAuthorities(file: missing)),
                (RedisTLS(caFile: one.keyFile), .unreadableAuthorities(file: one.keyFile)),
                (
                    RedisTLS(certificateFile: one.keyFile, keyFile: one.keyFile),
                    .unreadableCertificate(file: one.keyFile)
                ),
                (RedisTLS(certificateFile: one.file, keyFile: one.file), .unreadableKey(file: one.file)),
                (RedisTLS(certificateFile: one.file, keyFile: encrypted), .unreadableKey(file: encrypted)),
                (RedisTLS(certificateFile: one.file, keyFile: two.keyFile), .foreignKey(file: two.keyFile)),
            ] {
                #expect(throws: error) { try tls.check() }
                let endpoint = RedisEndpoint(.tcp(host: "localhost", port: 1), tls: tls)
                let failure = try await failure(of: endpoint)
                #expect(failure == error)
            }
        }
    }

    // MARK: The wrong door

    @Test func `a client in the clear at the TLS port is told to write rediss`() async throws {
        try await withTLSRedis { world in
            try await with(.tcp("localhost", world.port)) { client in
                let error = await error(of: client)?.description ?? ""
                #expect(error.contains("if this port speaks TLS, write rediss://"))
            }
        }
    }
}
