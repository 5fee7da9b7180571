import EventLoop
import Foundation
import HTTP
import Synchronization
import Testing

@Suite struct HTTPClientTests {
    @Test func `a POST arrives byte for byte and its answer comes back whole`() async throws {
        try await withScript { _ in
            [.answer("ok", status: "201 Created", fields: "X-Twice: a\r\nx-twice:  b \r\nEmpty:\r\n")]
        } _: { client, server in
            let body = String(repeating: "ä", count: 40_000)
            let request = HTTPRequest.post(
                server.url + "a/../b?c=%20d", body, headers: [("Authorization", "Bearer x"), ("X-Empty", "")])
            let response = try #require(await client.send(request, deadline: .seconds(10)).response)
            #expect(response.status == 201)
            #expect(response.text == "ok")
            #expect(response.version == "1.1")
            #expect(response.values(of: "X-TWICE") == ["a", "b"])
            #expect(response.values(of: "empty") == [""])
            #expect(!response.endedByClose)
            let arrival = try #require(await server.arrivals.first)
            #expect(arrival.text.hasPrefix("POST /a/../b?c=%20d HTTP/1.1\r\n"))
            #expect(arrival.text.hasSuffix("\r\n\r\n" + body))
            let head = arrival.text.prefix(while: { $0 != "ä" })
            #expect(head.contains("\r\nAuthorization: Bearer x\r\n"))
            #expect(head.contains("\r\nX-Empty:\r\n"))
            #expect(head.contains("\r\nContent-Length: 80000\r\n"))
            #expect(!head.lowercased().contains("expect:"))
            #expect(!head.lowercased().contains("content-type:"))
        }
    }

    @Test(arguments: [("GET", ""), ("HEAD", ""), ("PUT", "x"), ("DELETE", ""), ("POST", "")])
    func `every method goes out as itself`(method: String, body: String) async throws {
        try await withScript { _ in
            [.say("HTTP/1.1 204 No Content\r\n\r\n")]
        } _: { client, server in
            let request = HTTPRequest(method: method, url: server.url, body: Array(body.utf8))
            #expect(await client.send(request, deadline: .seconds(10)).response?.status == 204)
            #expect(await server.arrivals.first?.text.hasPrefix(method + " / HTTP/1.1\r\n") == true)
        }
    }

    // MARK: Surely unseen

    @Test func `a refused connection is surely unseen`() async throws {
        try await withWorld { world in
            let (descriptor, port) = Socket.refuse()
            defer { close(descriptor) }
            let client = HTTPClient(loop: world.loop)
            let outcome = await client.send(.post("http://127.0.0.1:\(port)/"), deadline: .seconds(10))
            #expect(outcome.unsent == .connect)
            await client.close()
        }
    }

    @Test func `a name that doesn't exist is surely unseen`() async throws {
        try await withWorld { world in
            let client = HTTPClient(loop: world.loop)
            let outcome = await client.send(.post("http://nonexistent.invalid/"), deadline: .seconds(30))
            #expect(outcome.unsent == .resolve)
            await client.close()
        }
    }

    @Test(arguments: [
        HTTPRequest.post("http://127.0.0.1:1/", headers: [("X", "a\r\nY: b")]),
        HTTPRequest.post("http://127.0.0.1:1/", headers: [("", "a")]),
        HTTPRequest.post("http://127.0.0.1:1/\0"),
        HTTPRequest.post("http://127.0.0.1:1/ HTTP/1.1"),
        HTTPRequest.post("http://user:secret@127.0.0.1:1/"),
        HTTPRequest.post("file:///etc/passwd"),
        HTTPRequest.post("ftp://127.0.0.1:1/"),
        HTTPRequest.post("no url"),
        HTTPRequest(method: "PO ST", url: "http://127.0.0.1:1/"),
    ])
    func `a request that can't be sent as it is is refused`(request: HTTPRequest) async throws {
        try await withWorld { world in
            let client = HTTPClient(loop: world.loop)
            let outcome = await client.send(request, deadline: .seconds(10))
            #expect(outcome.unsent == .invalid)
            #expect(!"\(outcome)".contains("secret"))
            await client.close()
        }
    }

    @Test func `a request without permission leaves no byte`() async throws {
        try await withScript { _ in
            [.answer("ok")]
        } _: { client, server in
            let outcome = await client.send(.post(server.url), deadline: .seconds(10), mayDepart: { false })
            #expect(outcome.unsent == .notPermitted)
            // What arrives first at the server is the next request.
            #expect(await client.send(.post(server.url, "second"), deadline: .seconds(10)).response?.text == "ok")
            #expect(await server.arrivals.map { $0.text.hasSuffix("second") } == [true])
        }
    }

    @Test func `permission is asked once, after the connection stands`() async throws {
        let asked = Mutex(0)
        try await withScript { _ in
            [.answer("ok")]
        } _: { client, server in
            let (descriptor, port) = Socket.refuse()
            defer { close(descriptor) }
            let url = "http://127.0.0.1:\(port)/"
            let mayDepart: @Sendable () -> Bool = {
                asked.withLock { $0 += 1 }
                return true
            }
            _ = await client.send(.post(url), deadline: .seconds(10), mayDepart: mayDepart)
            #expect(asked.withLock { $0 } == 0)
            _ = await client.send(.post(server.url), deadline: .seconds(10), mayDepart: mayDepart)
            #expect(asked.withLock { $0 } == 1)
        }
    }

    // MARK: Unclear

    @Test func `a server that never answers is unclear at the deadline`() async throws {
        try await withScript { _ in
            []
        } _: { client, server in
            let outcome = await client.send(.post(server.url), deadline: .milliseconds(200))
            #expect(outcome.unclear == .timedOut)
            #expect(await server.arrivals.count == 1)
        }
    }

    @Test(arguments: [
        [ScriptedServer.Act.say("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), .close],
        [.say("HTTP/1.1 200 OK\r\nContent-Le"), .close],
        [.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"), .close],
        [.say("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), .reset],
        [.close],
        [.reset],
    ])
    func `half an answer is unclear`(acts: [ScriptedServer.Act]) async throws {
        try await withScript { _ in
            acts
        } _: { client, server in
            let outcome = await client.send(.post(server.url), deadline: .seconds(10))
            // Once in a dozen full runs libcurl was seen not to notice an immediate reset until the deadline. Either way
            // a byte may have left, which is what counts.
            let isReset = if case .reset? = acts.last { true } else { false }
            #expect(outcome.unclear == .reset || isReset && outcome.unclear == .timedOut)
            #expect(await server.arrivals.count == 1)
        }
    }

    @Test(arguments: ["SSH-2.0-OpenSSH_9.2\r\n", "<html>hello</html>", "HTTP/9.9 what\r\n\r\n", "\0\0\0\0\0\0\0\0\0"])
    func `what is not HTTP is unclear`(text: String) async throws {
        try await withScript { _ in
            [.say(text), .close]
        } _: { client, server in
            let outcome = await client.send(.post(server.url), deadline: .seconds(10))
            #expect(outcome.unclear == .garbled)
        }
    }

    @Test func `an answer that ends with its connection says so`() async throws {
        try await withScript { _ in
            [.say("HTTP/1.1 503 No\r\n\r\n<html>"), .close]
        } _: { client, server in
            let response = try #require(await client.send(.post(server.url), deadline: .seconds(10)).response)
            #expect(response.status == 503)
            #expect(response.text == "<html>")
            #expect(response.endedByClose)
        }
    }

    @Test(arguments: [false, true])
    func `a POST is sent once although its kept-alive connection dies under it`(byReset: Bool) async throws {
        try await withScript { arrival in
            arrival.request == 1 ? [.answer("ok")] : [byReset ? .reset : .close]
        } _: { client, server in
            let first = await client.exchange(.post(server.url, "first"), deadline: .seconds(10))
            #expect(first.outcome.response?.text == "ok")
            #expect(first.timings.madeConnection)
            let second = await client.exchange(.post(server.url, "second"), deadline: .seconds(10))
            // A reset may also reach libcurl as an error that it doesn't repeat after.
            #expect(second.outcome.unclear == .repeatedByTransport || byReset && second.outcome.unclear == .reset)
            // Had libcurl's repetition passed, it would have arrived before the third request, on a new connection.
            let third = await client.exchange(.post(server.url, "third"), deadline: .seconds(10))
            #expect(third.outcome.response?.text == "ok")
            #expect(
                await server.arrivals.map { String($0.text.suffix(6)) }.map { $0.trimming } == [
                    "first", "second", "third",
                ])
        }
    }

    @Test func `a huge body is given up`() async throws {
        try await withScript { _ in
            [.answer(String(repeating: "x", count: (1 << 20) + 1))]
        } _: { client, server in
            #expect(await client.send(.post(server.url), deadline: .seconds(10)).unclear == .answerTooLarge)
        }
    }

    @Test func `an endless head is given up`() async throws {
        var options = HTTPClient.Options()
        options.maxAnswerBytes = 10_000
        let field = "X-Long: " + String(repeating: "x", count: 900) + "\r\n"
        try await withScript(options: options) { _ in
            [.answer("", fields: String(repeating: field, count: 20))]
        } _: { client, server in
            #expect(await client.send(.post(server.url), deadline: .seconds(10)).unclear == .answerTooLarge)
        }
    }

    // MARK: Answers

    @Test func `a redirect is an answer and not followed`() async throws {
        try await withScript { arrival in
            [.answer("", status: "307 Temporary Redirect", fields: "Location: /elsewhere\r\n")]
        } _: { client, server in
            let response = try #require(await client.send(.post(server.url), deadline: .seconds(10)).response)
            #expect(response.status == 307)
            #expect(response.values(of: "location") == ["/elsewhere"])
            #expect(await server.arrivals.count == 1)
        }
    }

    @Test func `an answer may come in small pieces, after informational ones`() async throws {
        try await withScript { _ in
            [
                .say("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"), .wait(.milliseconds(20)),
                .say("HTTP/1.1 200 O"), .wait(.milliseconds(20)), .say("K\r\nContent-Length: 4\r\nA:"),
                .wait(.milliseconds(20)), .say(" b\r\n\r\nwh"), .wait(.milliseconds(20)), .say("ol"),
            ]
        } _: { client, server in
            let response = try #require(await client.send(.post(server.url), deadline: .seconds(10)).response)
            #expect(response.status == 200)
            #expect(response.text == "whol")
            #expect(response.headers.map(\.name) == ["content-length", "a"])
        }
    }

    @Test func `an answer that lies in the socket at the deadline counts`() async throws {
        try await withWorld { world in
            let server = await ScriptedServer(world.wire) { _ in [.answer("late, but here")] }
            let client = HTTPClient(loop: world.loop)
            let asked = ContinuousClock.now
            async let outcome = client.send(.post(server.url), deadline: .milliseconds(500)) {
                // The loop stalls between here and the deadline, as in a process that is short of a core.
                true
            }
            _ = await server.arrivals(1)
            await LoopDomain(world.loop).run { _ in
                while .now - asked < .milliseconds(700) { usleep(10_000) }
            }
            // Either the answer was read before the stall or it was found after it; never is it lost.
            #expect(await outcome.response?.text == "late, but here")
            await client.close()
            await server.stop()
        }
    }

    // MARK: Connections

    @Test func `two requests in a row share a connection`() async throws {
        try await withScript { _ in
            [.answer("ok")]
        } _: { client, server in
            let first = await client.exchange(.post(server.url), deadline: .seconds(10)).timings
            let second = await client.exchange(.post(server.url), deadline: .seconds(10)).timings
            #expect(first.madeConnection && !second.madeConnection)
            #expect(first.connected != nil && first.departed != nil && first.firstByte != nil)
            #expect(await server.connections == 1)
        }
    }

    @Test func `two hundred requests run at once`() async throws {
        try await withServer(handler: { request in .respond(status: 200, body: request.body) }) { client, _, port in
            let answers = await withTaskGroup(of: String?.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        await client.send(
                            .post("http://127.0.0.1:\(port)/", "\(number)"), deadline: .seconds(60)
                        ).response?.text
                    }
                }
                return await group.reduce(into: Set<String>()) { if let text = $1 { $0.insert(text) } }
            }
            #expect(answers.count == 200)
        }
    }

    @Test func `requests beyond the number of connections wait for one, or for their deadline`() async throws {
        var options = HTTPClient.Options()
        options.maxConnectionsPerHost = 1
        try await withScript(options: options) { _ in
            []
        } _: { client, server in
            let first = Task { await client.send(.post(server.url), deadline: .seconds(60)) }
            _ = await server.arrivals(1)
            let second = await client.send(.post(server.url), deadline: .milliseconds(100))
            #expect(second.unsent == .timedOut)
            first.cancel()
            #expect(await first.value.unclear == .cancelled)
            #expect(await server.arrivals.count == 1)
        }
    }

    // MARK: Ends

    @Test func `cancelling a request that has left is unclear`() async throws {
        try await withScript { _ in
            []
        } _: { client, server in
            let task = Task { await client.send(.post(server.url), deadline: .seconds(60)) }
            _ = await server.arrivals(1)
            task.cancel()
            #expect(await task.value.unclear == .cancelled)
        }
    }

    @Test func `cancelling before the start is surely unseen`() async throws {
        try await withScript { _ in
            []
        } _: { client, server in
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                return await client.send(.post(server.url), deadline: .seconds(60))
            }
            task.cancel()
            #expect(await task.value.unsent == .cancelled)
            #expect(await server.arrivals.isEmpty)
        }
    }

    @Test func `closing ends what is under way and takes nothing new`() async throws {
        try await withScript { _ in
            []
        } _: { client, server in
            async let first = client.send(.post(server.url), deadline: .seconds(60))
            _ = await server.arrivals(1)
            await client.close()
            #expect(await first.unclear == .cancelled)
            #expect(await client.send(.post(server.url), deadline: .seconds(60)).unsent == .cancelled)
        }
    }
}

extension String {
    fileprivate var trimming: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
