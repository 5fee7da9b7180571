import COpenSSL
import EventLoop
import Redis
import TestSupport
import Testing

/// Servers whose TLS does what a real Redis seldom does.
@Suite struct `TLS that goes wrong` {
    private static let patient = RedisClient.Options(connectTimeout: .seconds(100), commandTimeout: .seconds(100))

    private func withServer(
        version: Int32 = TLS1_3_VERSION, oldest: Int32 = 0, options: RedisClient.Options = patient,
        _ scripts: [[ScriptedServer.Step]], _ body: (ScriptedServer, RedisClient) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let authority = try await TestAuthority(in: folder)
            let tls = try ServerTLS(try await authority.issue("server"), version: version, oldest: oldest)
            let server = try ScriptedServer(.tcp, tls: tls, scripts: scripts)
            defer { server.stop() }
            let client = RedisClient(
                loop: TestLoop.shared,
                endpoint: RedisEndpoint(
                    .tcp(host: "localhost", port: server.port), tls: RedisTLS(caFile: authority.caFile)),
                options: options)
            try await body(server, client)
            await client.close()
        }
    }

    private func failure(of client: RedisClient, _ words: [RedisWord] = ["PING"]) async -> RedisError? {
        do throws(RedisError) {
            _ = try await client.send(words)
            return nil
        } catch {
            return error
        }
    }

    @Test func `new keys in the middle of an answer change nothing, and ours are renewed too`() async throws {
        let rounds: [ScriptedServer.Step] = (0..<5).flatMap { round -> [ScriptedServer.Step] in
            [
                .expect("GET\r\n$1\r\n\(round)"), .updateKeys, .say("$4\r\nab"), .updateKeys, .updateKeys,
                .say("cd\r\n"), .updateKeys,
            ]
        }
        try await withServer([[.greet] + rounds + [.hang]]) { server, client in
            for round in 0..<5 {
                let answer = try await client.send(["GET", RedisWord(round)])
                #expect(answer.string == "abcd")
            }
            #expect(server.events.events.filter { $0 == .accepted(1) }.isEmpty)
        }
    }

    /// A server that insists (OpenSSL's do) ends the connection, which is then one that was lost.
    @Test func `a wish to shake hands again is declined, and what was answered is heard`() async throws {
        try await withServer(
            version: TLS1_2_VERSION,
            [
                [.greet, .expect("GET"), .renegotiate, .say("$2\r\nok\r\n"), .hang],
                [.greet, .expect("PING"), .say("+PONG\r\n"), .hang],
            ]
        ) { server, client in
            let answer = try await client.send(["GET", "a"])
            #expect(answer.string == "ok")
            try await server.events.contains(.accepted(1))
            let next = try await client.send(["PING"])
            #expect(next == .simple("PONG"))
        }
    }

    @Test(arguments: [ScriptedServer.Step.close, .sayGoodbye])
    func `an end in the middle of an answer loses it, and the call is not repeated`(
        end: ScriptedServer.Step
    ) async throws {
        try await withServer([
            [.greet, .expect("INCR"), .say("$10\r\nhalf"), end, .hang],
            [.greet, .expect("GET"), .say("$1\r\n1\r\n"), .hang],
        ]) { _, client in
            #expect(await failure(of: client, ["INCR", "a"]) == .connectionLost(mayHaveRun: true))
            let answer = try await client.send(["GET", "a"])
            #expect(answer.string == "1")
        }
    }

    @Test func `answers that came before the end are kept`() async throws {
        try await withServer([
            [.greet, .expect("SECOND"), .say("+one\r\n"), .sayGoodbye, .close], [.greet, .hang],
        ]) { _, client in
            // Immediate tasks: two of `async let` may reach the client in either order.
            let first = Task.immediate { try await client.send(["FIRST"]) }
            let second = Task.immediate { await failure(of: client, ["SECOND"]) }
            let answer = try await first.value
            #expect(answer == .simple("one"))
            #expect(await second.value == .connectionLost(mayHaveRun: true))
        }
    }

    @Test func `a server that speaks before it is asked is heard`() async throws {
        try await withServer([
            // It takes the greeting before it closes: with bytes unread the kernel would cut off what it said.
            [.say("-ERR max number of clients reached\r\n"), .expect("PING"), .close],
            [.greet, .expect("PING"), .say("+PONG\r\n"), .hang],
        ]) { _, client in
            let answer = try await client.send(["PING"])
            #expect(answer == .simple("PONG"))
        }
    }

    @Test func `a server whose newest is TLS 1 dot 1 is refused`() async throws {
        try await withServer(version: TLS1_1_VERSION, oldest: TLS1_VERSION, [[.hang]]) { _, client in
            guard case .insecure(.nothingInCommon) = await failure(of: client) else {
                Issue.record("not refused")
                return
            }
        }
    }

    private func endpoint(_ server: ScriptedServer) -> RedisEndpoint {
        RedisEndpoint(.tcp(host: "localhost", port: server.port), tls: RedisTLS())
    }

    private func client(_ server: ScriptedServer, _ options: RedisClient.Options = patient) -> RedisClient {
        RedisClient(loop: TestLoop.shared, endpoint: endpoint(server), options: options)
    }

    @Test(arguments: ["-ERR unknown command\r\n", "HTTP/1.1 400 Bad Request\r\n\r\n", "+PONG\r\n"])
    func `a server that answers in the clear is told to be one without TLS`(word: String) async throws {
        let server = try ScriptedServer(.tcp, scripts: [[.say(word), .hang]])
        defer { server.stop() }
        let client = client(server)
        #expect(await failure(of: client) == .insecure(.notTLS))
        await client.close()
    }

    @Test func `a server that keeps silent through the handshake costs the connect deadline`() async throws {
        let server = try ScriptedServer(.tcp, scripts: [[.hang]])
        defer { server.stop() }
        // On a busy machine a short deadline may pass before the handshake begins, and then it says so.
        var isTold = false
        for seconds in [1, 5, 25] where !isTold {
            let client = client(server, .init(connectTimeout: .seconds(seconds), commandTimeout: .seconds(100)))
            isTold = await failure(of: client) == .insecure(.silent(.seconds(seconds)))
            await client.close()
        }
        #expect(isTold)
        try await server.events.events { $0.contains { if case .hungUp = $0 { true } else { false } } }
    }

    @Test func `a server that hangs up in the handshake is told as such`() async throws {
        let server = try ScriptedServer(.tcp, scripts: [[.close]])
        defer { server.stop() }
        let client = client(server)
        guard case .insecure(.cutOff) = await failure(of: client) else {
            Issue.record("not cut off")
            return
        }
        await client.close()
    }

    @Test(arguments: ["\u{16}\u{3}\u{3}\u{0}\u{4}junk", "\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{28}"])
    func `garbage and alerts in the handshake end it`(bytes: String) async throws {
        let server = try ScriptedServer(.tcp, scripts: [[.say(bytes), .hang]])
        defer { server.stop() }
        let client = client(server)
        guard case .insecure(let error) = await failure(of: client) else {
            Issue.record("not ended")
            return
        }
        #expect(error != .notTLS)
        await client.close()
    }
}
