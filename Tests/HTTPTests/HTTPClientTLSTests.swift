import Foundation
import HTTP
import TestSupport
import Testing

@Suite(.enabled(if: TLSWorld.isAvailable, "needs nghttpx (Debian: nghttp2-proxy) and openssl"))
struct HTTPClientTLSTests {
    // MARK: Trust

    @Test func `HTTP/2 is spoken with a server whose authority is in the CA file`() async throws {
        try await withTLS { world in
            let client = world.client()
            let body = String(repeating: "ä", count: 200_000)
            let response = try #require(
                await client.send(.post(world.url, body), deadline: .seconds(20)).response)
            #expect(response.version == "2")
            #expect(response.text == body)
            await client.close()
        }
    }

    @Test func `a self-signed server is refused before anything is sent`() async throws {
        try await withTLS { world in
            let client = world.client(trusting: false)
            #expect(await client.send(.post(world.url), deadline: .seconds(10)).unsent == .tls)
            #expect(world.journal.all.isEmpty)
            await client.close()
        }
    }

    @Test func `another host's certificate is refused before anything is sent`() async throws {
        try await withTLS { world in
            let client = world.client()
            let url = "https://127.0.0.1:\(world.relay.port)/"
            #expect(await client.send(.post(url), deadline: .seconds(10)).unsent == .tls)
            #expect(world.journal.all.isEmpty)
            await client.close()
        }
    }

    @Test func `a CA file that isn't there refuses everybody`() async throws {
        try await withTLS { world in
            let client = HTTPClient(loop: world.loop, options: .init(caFile: world.caFile + ".missing"))
            #expect(await client.send(.post(world.url), deadline: .seconds(10)).unsent == .tls)
            await client.close()
        }
    }

    // MARK: Connections

    @Test func `two hundred requests run at once over HTTP/2`() async throws {
        try await withTLS { world in
            let client = world.client()
            let answers = await withTaskGroup(of: String?.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        await client.send(.post(world.url, "\(number)"), deadline: .seconds(60)).response?.text
                    }
                }
                return await group.reduce(into: Set<String>()) { if let text = $1 { $0.insert(text) } }
            }
            #expect(answers.count == 200)
            await client.close()
        }
    }

    @Test func `requests that start together share the connection that is being made`() async throws {
        try await withTLS(handshakeDelay: .milliseconds(100)) { world in
            let client = world.client()
            await withTaskGroup(of: Int?.self) { group in
                for _ in 0..<20 {
                    group.addTask { await client.send(.post(world.url), deadline: .seconds(20)).response?.status }
                }
                for await status in group { #expect(status == 200) }
            }
            #expect(await world.relay.connections == 1)
            await client.close()
        }
    }

    @Test func `a request that may not depart leaves its connection warm`() async throws {
        try await withTLS { world in
            let client = world.client()
            await client.warm(world.url)
            for _ in 1...3 {
                let refused = await client.exchange(.post(world.url + "no"), deadline: .seconds(10)) { false }
                #expect(refused.outcome.unsent == .notPermitted)
                #expect(!refused.timings.madeConnection)
                let sent = await client.exchange(.post(world.url), deadline: .seconds(10))
                #expect(sent.outcome.response?.status == 200)
                #expect(!sent.timings.madeConnection)
            }
            #expect(world.journal.all == ["HEAD /", "POST /", "POST /", "POST /"])
            #expect(await world.relay.connections == 1)
            await client.close()
        }
    }

    @Test(arguments: ["h2,http/1.1", "http/1.1"])
    func `a permit that a slow handshake outlives costs a round, not a loop`(protocols: String) async throws {
        try await withTLS(protocols: protocols, handshakeDelay: .milliseconds(1200)) { world in
            let client = world.client()
            func send() async -> HTTPOutcome {
                let leased = ContinuousClock.now
                return await client.send(.post(world.url), deadline: .seconds(20)) {
                    .now - leased < .milliseconds(1000)
                }
            }
            var outcome = await send()
            #expect(outcome.unsent == .notPermitted)
            // The client settles a connection by itself; over HTTP/1.1, who comes meanwhile is late once more.
            for _ in 1...3 where outcome.response == nil {
                await client.warm(world.url)
                outcome = await send()
            }
            #expect(outcome.response?.status == 200)
            #expect(world.journal.all.filter { $0 == "POST /" }.count == 1)
            await client.close()
        }
    }

    @Test func `a deadline resets one request and not the connection of the others`() async throws {
        try await withTLS { world in
            let client = world.client()
            await client.warm(world.url)
            let others = Task {
                while !Task.isCancelled {
                    _ = await client.send(.post(world.url), deadline: .seconds(10))
                    try await Task.sleep(for: .milliseconds(50))
                }
            }
            let hanging = await client.send(.post(world.url + "hang"), deadline: .milliseconds(2500))
            others.cancel()
            #expect(hanging.unclear == .timedOut)
            let next = await client.exchange(.post(world.url), deadline: .seconds(10))
            #expect(next.outcome.response?.status == 200)
            #expect(!next.timings.madeConnection)
            await client.close()
        }
    }

    @Test func `a connection that brings nothing while an answer is due gets no further request`() async throws {
        try await withTLS { world in
            let client = world.client()
            await client.warm(world.url)
            #expect(await client.send(.post(world.url + "hang"), deadline: .milliseconds(500)).unclear == .timedOut)
            let next = await client.exchange(.post(world.url), deadline: .seconds(10))
            #expect(next.outcome.response?.status == 200)
            #expect(next.timings.madeConnection)
            await client.close()
        }
    }

    // MARK: Ends within the handshake

    @Test func `cancelling within the handshake is surely unseen`() async throws {
        try await withTLS(handshakeDelay: .seconds(60)) { world in
            let client = world.client(connectTimeout: .seconds(60))
            let task = Task { await client.send(.post(world.url), deadline: .seconds(60)) }
            await world.relay.firstConnection()
            task.cancel()
            #expect(await task.value.unsent == .cancelled)
            await client.close()
        }
    }

    @Test func `a deadline within the handshake is surely unseen`() async throws {
        try await withTLS(handshakeDelay: .seconds(60)) { world in
            let client = world.client()
            #expect(await client.send(.post(world.url), deadline: .milliseconds(100)).unsent == .timedOut)
            await client.close()
        }
    }

    @Test func `a connection that takes too long is surely unseen`() async throws {
        try await withTLS(handshakeDelay: .seconds(60)) { world in
            let client = world.client(connectTimeout: .milliseconds(100))
            #expect(await client.send(.post(world.url), deadline: .seconds(60)).unsent == .connect)
            await client.close()
        }
    }

    // MARK: Warmth

    @Test(arguments: [("h2,http/1.1", "2"), ("http/1.1", "1.1")])
    func `warming costs one HEAD, and the next request no handshake`(
        protocols: String, version: String
    ) async throws {
        try await withTLS(protocols: protocols) { world in
            let client = world.client()
            await client.warm(world.url + "some/path")
            await client.warm(world.url)
            for _ in 1...2 {
                let sent = await client.exchange(.post(world.url), deadline: .seconds(10))
                #expect(sent.outcome.response?.version == version)
                #expect(!sent.timings.madeConnection)
                await client.warm(world.url)
            }
            #expect(await world.relay.connections == 1)
            #expect(world.journal.all == ["HEAD /", "POST /", "POST /"])
            await client.close()
        }
    }

    @Test func `warming what can't be reached does no harm`() async throws {
        try await withWorld { world in
            let (descriptor, port) = Socket.refuse()
            defer { close(descriptor) }
            let client = HTTPClient(loop: world.loop)
            await client.warm("https://localhost:\(port)/")
            await client.warm("http://localhost:\(port)/")
            await client.close()
        }
    }
}

@Suite(.enabled(if: RefusingServer.isAvailable, "needs python3 and openssl"))
struct HTTPClientRefusedStreamTests {
    @Test func `a connection that its server closed while it idled is not used again`() async throws {
        try await withTemporaryFolder { folder in
            try await withWorld { world in
                let certificate = try await Certificate(in: folder)
                let server = try await RefusingServer(.leaves, certificate)
                let client = HTTPClient(loop: world.loop, options: .init(caFile: certificate.file))
                for _ in 1...2 {
                    let sent = await client.exchange(
                        .post("https://localhost:\(server.port)/"), deadline: .seconds(10))
                    #expect(sent.outcome.response?.status == 200, "\(sent)")
                    #expect(sent.timings.madeConnection)
                    await server.nextLine()
                    #expect(await server.nextLine() == "left")
                }
                await client.close()
                #expect(await server.stop() == 0)
            }
        }
    }

    @Test func `an answer is seen although nothing follows it`() async throws {
        try await withTemporaryFolder { folder in
            try await withWorld { world in
                let certificate = try await Certificate(in: folder)
                let server = try await RefusingServer(.answers, certificate)
                for _ in 1...10 {
                    let client = HTTPClient(loop: world.loop, options: .init(caFile: certificate.file))
                    let outcome = await client.send(
                        .post("https://localhost:\(server.port)/"), deadline: .seconds(10))
                    #expect(outcome.response?.status == 200, "\(outcome)")
                    await client.close()
                }
                await server.stop()
            }
        }
    }

    /// Sends to a server of that way, one request after another; each arrives once at most.
    private func outcomes(
        _ way: RefusingServer.Way, _ count: Int = 2
    ) async throws -> [HTTPOutcome] {
        try await withTemporaryFolder { folder in
            try await withWorld { world in
                let certificate = try await Certificate(in: folder)
                let server = try await RefusingServer(way, certificate)
                let client = HTTPClient(loop: world.loop, options: .init(caFile: certificate.file))
                var outcomes: [HTTPOutcome] = []
                for _ in 0..<count {
                    outcomes.append(
                        await client.send(.post("https://localhost:\(server.port)/"), deadline: .seconds(10)))
                    await server.nextLine()
                    if way == .goAwayIdle { #expect(await server.nextLine() == "left") }
                }
                await client.close()
                #expect(await server.stop() == 0, "more arrived than was sent")
                return outcomes
            }
        }
    }

    @Test(arguments: [RefusingServer.Way.refusedStream, .goAway])
    func `a request whose stream the server refuses is surely unseen, and not repeated`(
        way: RefusingServer.Way
    ) async throws {
        for outcome in try await outcomes(way, 3) { #expect(outcome.unsent == .refusedStream, "\(outcome)") }
    }

    @Test(arguments: [RefusingServer.Way.refusedLater, .goAwayLater])
    func `a request that is refused on a kept-alive connection is surely unseen, and not repeated`(
        way: RefusingServer.Way
    ) async throws {
        let outcomes = try await outcomes(way, 4)
        for number in [0, 2] { #expect(outcomes[number].response?.status == 200, "\(outcomes[number])") }
        for number in [1, 3] { #expect(outcomes[number].unsent == .refusedStream, "\(outcomes[number])") }
    }

    @Test func `a connection that its server leaves gets no further request, though it owes an answer`() async throws {
        try await withTemporaryFolder { folder in
            try await withWorld { world in
                let certificate = try await Certificate(in: folder)
                let server = try await RefusingServer(.goAwayAndOwe, certificate)
                let client = HTTPClient(loop: world.loop, options: .init(caFile: certificate.file))
                let url = "https://localhost:\(server.port)/"
                async let owed = client.send(.post(url), deadline: .seconds(3))
                await server.nextLine()
                // Until the GOAWAY is read; nothing tells of that.
                try await Task.sleep(for: .milliseconds(300))
                for isNew in [true, false, false] {
                    let next = await client.exchange(.post(url), deadline: .seconds(10))
                    #expect(next.outcome.response?.status == 200, "\(next.outcome)")
                    #expect(next.timings.madeConnection == isNew)
                }
                #expect(await owed.unclear == .timedOut)
                await client.close()
                #expect(await server.stop() == 3)
            }
        }
    }

    @Test func `a connection that has fallen silent is left, and those who wait there may wait on`() async throws {
        try await withTemporaryFolder { folder in
            try await withWorld { world in
                let certificate = try await Certificate(in: folder)
                let server = try await RefusingServer(.mute, certificate)
                let client = HTTPClient(loop: world.loop, options: .init(caFile: certificate.file))
                let url = "https://localhost:\(server.port)/"
                #expect(await client.send(.post(url), deadline: .seconds(10)).response?.status == 200)
                async let patient = client.send(.post(url), deadline: .seconds(3))
                async let hasty = client.send(.post(url), deadline: .milliseconds(300))
                #expect(await hasty.unclear == .timedOut)
                for isNew in [true, false, false] {
                    let next = await client.exchange(.post(url), deadline: .seconds(10))
                    #expect(next.outcome.response?.status == 200)
                    #expect(next.timings.madeConnection == isNew)
                }
                // Neither ended with the hasty one nor by a second change of connections.
                #expect(await patient.unclear == .timedOut)
                let last = await client.exchange(.post(url), deadline: .seconds(10))
                #expect(last.outcome.response != nil && !last.timings.madeConnection)
                await client.close()
                #expect(await server.stop() == 7)
            }
        }
    }

    @Test(arguments: [
        RefusingServer.Way.wantsHTTP1, .internalError, .cancel, .goAwayAndCut, .cut, .half, .halfAndReset,
        .refusedTooLate,
    ])
    func `what is not said to be unprocessed is unclear, and not repeated`(way: RefusingServer.Way) async throws {
        for outcome in try await outcomes(way) {
            let kind = outcome.unclear
            #expect(kind == (way == .wantsHTTP1 ? .repeatedByTransport : .reset), "\(outcome)")
        }
    }

    @Test func `a connection that is cut under a request is unclear, kept-alive or not`() async throws {
        let outcomes = try await outcomes(.cutLater, 4)
        for number in [0, 2] { #expect(outcomes[number].response?.status == 200, "\(outcomes[number])") }
        for number in [1, 3] { #expect(outcomes[number].unclear == .reset, "\(outcomes[number])") }
    }

    @Test func `the refusal of one request says nothing of another on the same connection`() async throws {
        try await withTemporaryFolder { folder in
            try await withWorld { world in
                let certificate = try await Certificate(in: folder)
                let server = try await RefusingServer(.refusedAndCut, certificate)
                let client = HTTPClient(loop: world.loop, options: .init(caFile: certificate.file))
                let url = "https://localhost:\(server.port)/"
                async let first = client.send(.post(url), deadline: .seconds(10))
                async let second = client.send(.post(url), deadline: .seconds(10))
                let outcomes = await [first, second]
                #expect(outcomes.count { $0.unsent == .refusedStream } == 1, "\(outcomes)")
                #expect(outcomes.count { $0.unclear == .reset } == 1, "\(outcomes)")
                await client.close()
                #expect(await server.stop() == 2)
            }
        }
    }

    @Test(arguments: [RefusingServer.Way.goAwayAndAnswer, .goAwayIdle])
    func `a GOAWAY spoils no answer, and the next request takes a new connection`(
        way: RefusingServer.Way
    ) async throws {
        for outcome in try await outcomes(way, 3) { #expect(outcome.response?.status == 200, "\(outcome)") }
    }
}
