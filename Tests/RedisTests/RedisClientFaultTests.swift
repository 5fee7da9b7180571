import EventLoop
import Redis
import TestSupport
import Testing

/// Servers that refuse, keep silent or stop in the middle.
@Suite struct RedisClientFaultTests {
    private static let brief = RedisClient.Options(
        connectTimeout: .milliseconds(200), commandTimeout: .milliseconds(300))
    /// Longer than any test may take: a call with it ends because of an event, not because of its deadline.
    private static let patient = RedisClient.Options(connectTimeout: .seconds(100), commandTimeout: .seconds(100))

    private func client(_ endpoint: RedisEndpoint, _ options: RedisClient.Options) -> RedisClient {
        RedisClient(loop: TestLoop.shared, endpoint: endpoint, options: options)
    }

    private func failure(
        of client: RedisClient, _ words: [RedisWord] = ["PING"], timeout: Duration? = nil
    ) async -> RedisError? {
        do throws(RedisError) {
            _ = try await client.send(words, timeout: timeout)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a refused connection fails the call at once and says why`() async throws {
        try await withTemporaryFolder { folder in
            let client = client(.unix(folder["nobody.sock"]), Self.patient)
            let error = await failure(of: client)
            guard case .connectionRefused(let reason) = error else {
                Issue.record("not refused: \(String(describing: error))")
                return
            }
            #expect(reason.contains("No such file"))
            #expect(error?.mayHaveRun == false)
            await client.close()
        }
    }

    @Test func `a TCP port that nobody listens on is refused`() async throws {
        let server = try ScriptedServer(.tcp, scripts: [[.hang]])
        let port = server.port
        server.stop()
        let client = client(.tcp("localhost", port), Self.patient)
        guard case .connectionRefused(let reason) = await failure(of: client) else {
            Issue.record("not refused")
            return
        }
        #expect(reason.contains("Connection refused"))
        await client.close()
    }

    @Test func `a name that doesn't exist is refused`() async throws {
        let client = client(.tcp("nowhere.invalid"), Self.patient)
        guard case .connectionRefused(let reason) = await failure(of: client) else {
            Issue.record("not refused")
            return
        }
        #expect(reason.contains("nowhere.invalid can't be resolved"))
        await client.close()
    }

    @Test func `a TCP server is reached by its name`() async throws {
        let server = try ScriptedServer(.tcp, scripts: [[.greet, .expect("PING"), .say("+PONG\r\n"), .hang]])
        defer { server.stop() }
        let client = client(.tcp("localhost", server.port), Self.patient)
        #expect(try await client.send(["PING"]) == .simple("PONG"))
        await client.close()
    }

    @Test func `a server that accepts and never answers is given up`() async throws {
        try await withScriptedServer([[.hang]]) { server, path in
            let client = client(.unix(path), .init(connectTimeout: .milliseconds(100), commandTimeout: .seconds(100)))
            guard case .connectionRefused(let reason) = await failure(of: client) else {
                Issue.record("not refused")
                return
            }
            #expect(reason.contains("no answer within"))
            try await server.events.contains(.hungUp(0))
            await client.close()
        }
    }

    @Test func `a server that falls silent costs the call its deadline and the connection its life`() async throws {
        try await withScriptedServer([
            [.greet, .expect("PING"), .say("+PONG\r\n"), .expect("GET"), .hang],
            [.greet, .expect("GET"), .say("$2\r\nok\r\n"), .hang],
        ]) { server, path in
            let client = client(.unix(path), Self.patient)
            _ = try await client.send(["PING"])
            let failure = await failure(of: client, ["GET", "a"], timeout: .milliseconds(100))
            #expect(failure == .timedOut(mayHaveRun: true))
            try await server.events.contains(.hungUp(0))
            #expect(try await client.send(["GET", "a"]).string == "ok")
            await client.close()
        }
    }

    @Test func `half an answer is no answer`() async throws {
        try await withScriptedServer([
            [.greet, .expect("PING"), .say("+PONG\r\n"), .expect("GET"), .say("$10\r\nhalf"), .hang]
        ]) { _, path in
            let client = client(.unix(path), Self.patient)
            _ = try await client.send(["PING"])
            let failure = await failure(of: client, ["GET", "a"], timeout: .milliseconds(100))
            #expect(failure == .timedOut(mayHaveRun: true))
            await client.close()
        }
    }

    @Test func `a connection that ends in the middle of an answer is lost, and the call is not repeated`() async throws
    {
        try await withScriptedServer([
            [.greet, .expect("INCR"), .say("$10\r\nhalf"), .close],
            [.greet, .expect("GET"), .say("$1\r\n1\r\n"), .hang],
        ]) { server, path in
            let client = client(.unix(path), Self.patient)
            #expect(await failure(of: client, ["INCR", "a"]) == .connectionLost(mayHaveRun: true))
            // The second script would wait forever if INCR came again.
            let answer = try await client.send(["GET", "a"])
            #expect(answer.string == "1")
            await client.close()
        }
    }

    @Test func `answers that came before the end are kept`() async throws {
        try await withScriptedServer([
            [.greet, .expect("SECOND"), .say("+one\r\n"), .close], [.greet, .hang],
        ]) { _, path in
            let client = client(.unix(path), Self.patient)
            // Immediate tasks: two of `async let` may reach the client in either order.
            let first = Task.immediate { try await client.send(["FIRST"]) }
            let second = Task.immediate { await failure(of: client, ["SECOND"]) }
            let answer = try await first.value
            let lost = await second.value
            #expect(answer == .simple("one"))
            #expect(lost == .connectionLost(mayHaveRun: true))
            await client.close()
        }
    }

    @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "@what\r\n", "*-7\r\n", "$a\r\n"])
    func `what is not Redis is called so`(garbage: String) async throws {
        try await withScriptedServer([[.say(garbage), .hang]]) { _, path in
            let client = client(.unix(path), Self.patient)
            guard case .protocolError = await failure(of: client) else {
                Issue.record("not a protocol error")
                return
            }
            await client.close()
        }
    }

    @Test func `an answer too many ends the connection`() async throws {
        try await withScriptedServer([
            [.greet, .expect("PING"), .say("+PONG\r\n+PONG\r\n"), .hang], [.greet, .hang],
        ]) { server, path in
            let client = client(.unix(path), Self.patient)
            #expect(try await client.send(["PING"]) == .simple("PONG"))
            try await server.events.contains(.accepted(1))
            await client.close()
        }
    }

    @Test func `a server without room says so and is asked again`() async throws {
        try await withScriptedServer([
            [.say("-ERR max number of clients reached\r\n"), .close],
            [.greet, .expect("PING"), .say("+PONG\r\n"), .hang],
        ]) { server, path in
            let client = client(.unix(path), Self.patient)
            let answer = try await client.send(["PING"])
            #expect(answer == .simple("PONG"))
            #expect(server.events.events.filter { $0 == .accepted(0) || $0 == .accepted(1) }.count == 2)
            await client.close()
        }
    }

    @Test func `a call that was made in a gap waits for the connection, until its deadline`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder["server.sock"]
            let script: [ScriptedServer.Step] = [.greet, .expect("PING"), .say("+PONG\r\n"), .close]
            let first = try ScriptedServer(.unix(path), scripts: [script])
            let client = client(.unix(path), Self.patient)
            _ = try await client.send(["PING"])
            first.stop()
            folder.removeFile("server.sock")
            #expect(await (try? client.send(["PING"], timeout: .milliseconds(150))) == nil)
            async let answer = client.send(["PING"])
            let second = try ScriptedServer(.unix(path), scripts: [script])
            let value = try await answer
            #expect(value == .simple("PONG"))
            second.stop()
            await client.close()
        }
    }

    @Test func `a cancelled call ends at once and its answer goes to nobody else`() async throws {
        try await withScriptedServer([
            [.greet, .expect("SLOW"), .expect("NEXT"), .say("+slow\r\n+next\r\n"), .hang]
        ]) { server, path in
            let client = client(.unix(path), Self.patient)
            let slow = Task { () async -> RedisError? in await failure(of: client, ["SLOW"]) }
            try await server.events.contains(.expected(0, "SLOW"))
            slow.cancel()
            #expect(await slow.value == .cancelled(mayHaveRun: true))
            #expect(try await client.send(["NEXT"]) == .simple("next"))
            await client.close()
        }
    }

    @Test func `closing ends what waits and what comes later`() async throws {
        try await withScriptedServer([[.greet, .expect("WAIT"), .hang]]) { server, path in
            let client = client(.unix(path), Self.patient)
            let waiting = Task { () async -> RedisError? in await failure(of: client, ["WAIT"]) }
            try await server.events.contains(.expected(0, "WAIT"))
            await client.close()
            #expect(await waiting.value == .closed(mayHaveRun: true))
            #expect(await failure(of: client) == .closed(mayHaveRun: false))
        }
    }

    @Test func `a client that is dropped without closing leaves the loop and its other sockets in peace`() async throws
    {
        try await withScriptedServer([[.greet, .expect("PING"), .say("+PONG\r\n"), .hang]]) { server, path in
            for number in 0..<20 {
                let dropped = client(.unix(path), Self.patient)
                _ = try await dropped.send(["PING"])
                try await server.events.contains(.accepted(number))
            }
            try await server.events.events { $0.filter { if case .hungUp = $0 { true } else { false } }.count == 20 }
        }
    }
}
