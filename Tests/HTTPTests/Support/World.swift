import EventLoop
import Foundation
import HTTP

/// The loops that a test lives on: one for what is tested, one for the other end of the wire.
struct World: Sendable {
    let loop: EventLoop
    let wire: EventLoop
}

func withWorld<Result>(_ body: (World) async throws -> Result) async throws -> Result {
    let world = World(loop: EventLoop(name: "test.loop"), wire: EventLoop(name: "test.wire"))
    defer {
        world.loop.stop()
        world.wire.stop()
    }
    return try await body(world)
}

/// A client and a scripted server for it.
func withScript(
    options: HTTPClient.Options = .init(),
    _ script: @escaping @Sendable (ScriptedServer.Arrival) -> [ScriptedServer.Act],
    _ body: (HTTPClient, ScriptedServer) async throws -> Void
) async throws {
    try await withWorld { world in
        let server = await ScriptedServer(world.wire, script: script)
        let client = HTTPClient(loop: world.loop, options: options)
        try await body(client, server)
        await client.close()
        await server.stop()
    }
}

/// A client and our own server for it; `body` gets the server's URL.
func withServer(
    maxBodyBytes: Int = 1 << 20,
    beforeBody: @escaping @Sendable (HTTPServerRequest) -> HTTPServerAction? = { _ in nil },
    handler: @escaping HTTPServer.Handler,
    _ body: (HTTPClient, HTTPServer, UInt16) async throws -> Void
) async throws {
    try await withWorld { world in
        let server = HTTPServer(
            loop: world.loop, host: "127.0.0.1", port: 0, maxBodyBytes: maxBodyBytes, beforeBody: beforeBody,
            handler: handler)
        let port = try await server.start()
        let client = HTTPClient(loop: world.loop)
        try await body(client, server, port)
        await client.close()
        await server.stop()
    }
}

extension HTTPOutcome {
    var response: HTTPResponse? { if case .response(let response) = self { response } else { nil } }
    var unsent: HTTPFailure.Kind? { if case .unsent(let failure) = self { failure.kind } else { nil } }
    var unclear: HTTPFailure.Kind? { if case .unclear(let failure) = self { failure.kind } else { nil } }
}

extension HTTPRequest {
    static func post(_ url: String, _ body: String = "{}", headers: [(String, String)] = []) -> Self {
        HTTPRequest(method: "POST", url: url, headers: headers, body: Array(body.utf8))
    }
}

extension HTTPResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}
