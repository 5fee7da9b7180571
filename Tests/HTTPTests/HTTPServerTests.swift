import EventLoop
import Foundation
import HTTP
import Synchronization
import Testing

@Suite struct HTTPServerTests {
    /// Sends raw bytes to the server and gives all that comes until the server closes.
    private func talk(_ port: UInt16, _ text: String, halfClose: Bool = false) async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                guard let descriptor = Socket.connect(port: port) else { return continuation.resume(returning: "-") }
                Socket.write(descriptor, Array(text.utf8))
                var answer: [UInt8] = []
                while case let bytes = Socket.read(descriptor), !bytes.isEmpty { answer += bytes }
                close(descriptor)
                continuation.resume(returning: String(decoding: answer, as: UTF8.self))
            }
        }
    }

    @Test func `a request reaches the handler as it was sent`() async throws {
        let seen = Mutex<HTTPServerRequest?>(nil)
        try await withServer { request in
            seen.withLock { $0 = request }
            return .respond(status: 202, headers: [("X-A", "1"), ("x-a", "2")], body: Array("done".utf8))
        } _: { client, _, port in
            let before = ContinuousClock.now
            let response = try #require(
                await client.send(
                    .post(
                        "http://127.0.0.1:\(port)/a%2Fb//c?q=%20&q=2?", "body", headers: [("X-B", "1"), ("x-b", "2")]),
                    deadline: .seconds(10)
                ).response)
            #expect(response.status == 202)
            #expect(response.text == "done")
            #expect(response.values(of: "x-a") == ["1", "2"])
            let request = try #require(seen.withLock { $0 })
            #expect(request.method == "POST")
            #expect(request.path == "/a%2Fb//c")
            #expect(request.query == "q=%20&q=2?")
            #expect(request.values(of: "X-b") == ["1", "2"])
            #expect(request.body == Array("body".utf8))
            #expect((before...ContinuousClock.now).contains(request.arrival))
        }
    }

    @Test func `a server that can't listen says why`() async throws {
        try await withWorld { world in
            let (descriptor, port) = Socket.listen()
            defer { close(descriptor) }
            let taken = HTTPServer(loop: world.loop, host: "127.0.0.1", port: port) { _ in .cut }
            await #expect(throws: HTTPServerError.cannotListen(host: "127.0.0.1", port: port, errno: EADDRINUSE)) {
                try await taken.start()
            }
            let unknown = HTTPServer(loop: world.loop, host: "nonexistent.invalid", port: 0) { _ in .cut }
            await #expect(throws: HTTPServerError.unknownHost("nonexistent.invalid")) { try await unknown.start() }
        }
    }

    @Test(arguments: ["127.0.0.1", "::1", "localhost"])
    func `a server listens where it is told`(host: String) async throws {
        try await withWorld { world in
            let server = HTTPServer(loop: world.loop, host: host, port: 0) { _ in .respond(status: 200) }
            let client = HTTPClient(loop: world.loop)
            let port = try await server.start()
            await #expect(throws: HTTPServerError.alreadyStarted) { try await server.start() }
            let authority = host.contains(":") ? "[\(host)]" : host
            let outcome = await client.send(.post("http://\(authority):\(port)/"), deadline: .seconds(10))
            #expect(outcome.response?.status == 200)
            await client.close()
            await server.stop()
        }
    }

    @Test func `a cut request gets no byte`() async throws {
        try await withServer { _ in
            .cut
        } _: { client, _, port in
            #expect(await talk(port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n") == "")
            #expect(await client.send(.post("http://127.0.0.1:\(port)/"), deadline: .seconds(10)).unclear == .reset)
        }
    }

    @Test func `what is decided before the body needs no body`() async throws {
        let handled = Mutex(0)
        let head = " / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n"
        try await withServer(
            beforeBody: { request in
                switch request.method {
                case "POST": .cut
                case "PUT": .respond(status: 401)
                default: nil
                }
            },
            handler: { request in
                handled.withLock { $0 += 1 }
                return .respond(status: 200, body: request.body)
            }
        ) { client, _, port in
            #expect(await talk(port, "POST" + head) == "")
            #expect(await talk(port, "PUT" + head).hasPrefix("HTTP/1.1 401 "))
            #expect(handled.withLock { $0 } == 0)
            let request = HTTPRequest(method: "GET", url: "http://127.0.0.1:\(port)/", body: Array("later".utf8))
            #expect(await client.send(request, deadline: .seconds(10)).response?.text == "later")
        }
    }

    @Test func `a handler may take its time while others are answered`() async throws {
        try await withServer { request in
            if request.path == "/slow" { try? await Task.sleep(for: .milliseconds(300)) }
            return .respond(status: 200)
        } _: { client, _, port in
            let order = await withTaskGroup(of: String.self) { group in
                for path in ["/slow", "/fast"] {
                    group.addTask {
                        _ = await client.send(.post("http://127.0.0.1:\(port)\(path)"), deadline: .seconds(10))
                        return path
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(order == ["/fast", "/slow"])
        }
    }

    @Test(arguments: [false, true])
    func `a hanging request ends with its client and leaves no descriptor`(beforeBody: Bool) async throws {
        let hanging = Mutex(0)
        let hang: @Sendable (HTTPServerRequest) -> HTTPServerAction? = { request in
            guard request.path == "/hang" else { return nil }
            hanging.withLock { $0 += 1 }
            return .hang
        }
        try await withServer(
            beforeBody: { beforeBody ? hang($0) : nil },
            handler: { hang($0) ?? .respond(status: 200) }
        ) { client, _, port in
            for _ in 0..<5 {
                let outcome = await client.send(
                    .post("http://127.0.0.1:\(port)/hang"), deadline: .milliseconds(100))
                #expect(outcome.unclear == .timedOut)
            }
            #expect(hanging.withLock { $0 } == 5)
            // The server notices in its own time; a leak would stay for ever.
            var patience = 200
            while connections(to: port) > 1, patience > 0 {
                patience -= 1
                _ = await client.send(.post("http://127.0.0.1:\(port)/"), deadline: .seconds(10))
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(connections(to: port) <= 1)
        }
    }

    /// How many sockets of this process are the server's end of a connection to `port`.
    private func connections(to port: UInt16) -> Int {
        (0..<1024).count { descriptor in
            var peer = sockaddr_storage()
            var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let isConnected = withUnsafeMutablePointer(to: &peer) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(Int32(descriptor), $0, &size) == 0 }
            }
            return isConnected && peer.ss_family == AF_INET && Socket.port(of: Int32(descriptor)) == port
        }
    }

    @Test func `a hundred connections are kept alive at once`() async throws {
        let connections = Mutex<[UInt64: Int]>([:])
        // Each hundred is held until all have arrived, so each request needs a connection of its own.
        let barrier = Barrier(100)
        try await withServer { request in
            connections.withLock { $0[request.connection, default: 0] += 1 }
            await barrier.arrive()
            return .respond(status: 200)
        } _: { client, _, port in
            for _ in 1...2 {
                await withTaskGroup(of: Int?.self) { group in
                    for _ in 0..<100 {
                        group.addTask {
                            await client.send(.post("http://127.0.0.1:\(port)/"), deadline: .seconds(60))
                                .response?.status
                        }
                    }
                    for await status in group { #expect(status == 200) }
                }
            }
            #expect(connections.withLock { $0.count } == 100)
            #expect(connections.withLock { $0.values.reduce(0, +) } == 200)
        }
    }

    @Test func `a big body arrives whole and a bigger one is refused`() async throws {
        let limit = 3_000_000
        try await withServer(maxBodyBytes: limit) { request in
            .respond(status: 200, body: Array("\(request.body.count) \(request.body.allSatisfy { $0 == 7 })".utf8))
        } _: { client, _, port in
            func send(_ count: Int) async -> HTTPOutcome {
                let body = [UInt8](repeating: 7, count: count)
                return await client.send(
                    HTTPRequest(method: "POST", url: "http://127.0.0.1:\(port)/", body: body), deadline: .seconds(20))
            }
            #expect(await send(limit).response?.text == "\(limit) true")
            #expect(
                await talk(port, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(limit + 1)\r\n\r\n")
                    .hasPrefix("HTTP/1.1 413 "))
        }
    }

    @Test func `a body that doesn't tell its length is cut when it grows too large`() async throws {
        try await withServer(maxBodyBytes: 100) { request in
            .respond(status: 200, body: request.body)
        } _: { _, _, port in
            let head = "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
            #expect(await talk(port, head + "4\r\nwhol\r\n1\r\ne\r\n0\r\n\r\n").hasSuffix("\r\n\r\nwhole"))
            #expect(await talk(port, head + "80\r\n" + String(repeating: "x", count: 128) + "\r\n") == "")
        }
    }

    @Test func `pipelined requests are answered in their order`() async throws {
        try await withServer { request in
            if request.path == "/1" { try? await Task.sleep(for: .milliseconds(50)) }
            return .respond(status: 200, body: Array("<\(request.path)>".utf8))
        } _: { _, _, port in
            let requests = (1...3).map { number in
                "GET /\(number) HTTP/1.1\r\nHost: a\r\n" + (number == 3 ? "Connection: close\r\n" : "") + "\r\n"
            }
            let answer = await talk(port, requests.joined())
            let bodies = answer.split(separator: "<").dropFirst().map { $0.prefix(2) }
            #expect(bodies == ["/1", "/2", "/3"])
        }
    }

    @Test(arguments: ["GET / HTTP/1.1\r\nno colon\r\n\r\n", "rubbish\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "\r\n\r\n\0"])
    func `a malformed request doesn't disturb the others`(text: String) async throws {
        try await withServer { _ in
            .respond(status: 200, headers: [("Connection", "close")])
        } _: { client, _, port in
            async let answer = talk(port, text + "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            #expect(await client.send(.post("http://127.0.0.1:\(port)/"), deadline: .seconds(10)).response != nil)
            #expect(await !answer.contains(" 500 "))
        }
    }

    @Test func `stopping ends what hangs and what is still being handled`() async throws {
        let (arrivals, arrival) = AsyncStream.makeStream(of: String.self)
        let wasCancelled = Mutex(false)
        try await withServer { request in
            arrival.yield(request.path)
            guard request.path == "/slow" else { return .hang }
            try? await Task.sleep(for: .seconds(60))
            wasCancelled.withLock { $0 = Task.isCancelled }
            return .respond(status: 200)
        } _: { client, server, port in
            async let slow = client.send(.post("http://127.0.0.1:\(port)/slow"), deadline: .seconds(60))
            async let hanging = client.send(.post("http://127.0.0.1:\(port)/hang"), deadline: .seconds(60))
            var arrived = 0
            for await _ in arrivals {
                arrived += 1
                if arrived == 2 { break }
            }
            await server.stop()
            #expect(await slow.unclear != nil)
            #expect(await hanging.unclear != nil)
            // Whoever listens on the port now, it isn't this server; which may start anew.
            let again = try await server.start()
            #expect(again != 0)
        }
    }

    @Test func `stopping while requests keep coming in is no race`() async throws {
        for _ in 0..<20 {
            try await withServer { _ in
                .hang
            } _: { _, server, port in
                // Some wait in the sockets, unread, and some arrive while the server stops.
                let descriptors = (0..<20).compactMap { _ in Socket.connect(port: port) }
                defer { for descriptor in descriptors { close(descriptor) } }
                for descriptor in descriptors.prefix(10) {
                    Socket.write(descriptor, Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
                }
                async let end: Void = server.stop()
                for descriptor in descriptors.dropFirst(10) {
                    Socket.write(descriptor, Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
                }
                await end
                #expect(descriptors.allSatisfy { Socket.read($0).isEmpty })
            }
        }
    }

    @Test func `a stop with grace lets handlers finish`() async throws {
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        try await withServer { request in
            arrival.yield()
            try? await Task.sleep(for: .milliseconds(200))
            return .respond(status: 200, body: request.body)
        } _: { client, server, port in
            async let outcome = client.send(.post("http://127.0.0.1:\(port)/", "kept"), deadline: .seconds(60))
            for await _ in arrivals { break }
            await server.stop(grace: .seconds(60))
            #expect(await outcome.response?.text == "kept")
        }
    }
}

/// Lets nobody pass until so many have arrived; then begins anew.
private actor Barrier {
    private let count: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { self.count = count }

    func arrive() async {
        await withCheckedContinuation { continuation in
            waiting.append(continuation)
            guard waiting.count == count else { return }
            for continuation in waiting { continuation.resume() }
            waiting = []
        }
    }
}
