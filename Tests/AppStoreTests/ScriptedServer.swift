import EventLoop
import HTTP
import Synchronization
import Testing

/// A real HTTP server that answers each request with the next action of a script and keeps what it was sent.
final class ScriptedServer: Sendable {
    private let server: HTTPServer
    private let state: State
    let url: String

    private final class State: Sendable {
        let requests = Mutex<[HTTPServerRequest]>([])
        let script: Mutex<[HTTPServerAction]>
        init(_ script: [HTTPServerAction]) { self.script = Mutex(script) }

        func next(for request: HTTPServerRequest) -> HTTPServerAction {
            requests.withLock { $0.append(request) }
            return script.withLock { $0.isEmpty ? .respond(status: 418) : $0.removeFirst() }
        }
    }

    private init(_ server: HTTPServer, _ state: State, _ port: UInt16) {
        self.server = server
        self.state = state
        url = "http://127.0.0.1:\(port)"
    }

    /// Runs `body` with a server of its own, which ends with it.
    @discardableResult
    static func serving<Result>(
        _ script: [HTTPServerAction], on loop: EventLoop, _ body: (ScriptedServer) async throws -> Result
    ) async throws -> Result {
        let state = State(script)
        let server = HTTPServer(loop: loop, host: "127.0.0.1", port: 0) { state.next(for: $0) }
        let port = try await server.start()
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body(ScriptedServer(server, state, port))) } catch { result = .failure(error) }
        await server.stop()
        return try result.get()
    }

    var requests: [HTTPServerRequest] { state.requests.withLock { $0 } }
}

extension HTTPServerAction {
    static func json(_ status: Int, _ text: String, _ headers: [(name: String, value: String)] = []) -> HTTPServerAction
    {
        .respond(status: status, headers: [("Content-Type", "application/json")] + headers, body: Array(text.utf8))
    }
}
