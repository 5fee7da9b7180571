import EventLoop
import Foundation
import HTTP
import Lifecycle
import Synchronization
import TestSupport

/// Our client, a relay that may be slow, nghttpx for TLS and HTTP/2, and our server behind it.
struct TLSWorld: Sendable {
    static let isAvailable = Program.path(of: "nghttpx") != nil && Program.path(of: "openssl") != nil

    let loop: EventLoop
    let relay: Relay
    let journal: Journal
    let caFile: String
    /// With a slash at its end.
    var url: String { "https://localhost:\(relay.port)/" }

    /// What arrived at the server: methods and paths.
    final class Journal: Sendable {
        private let arrivals = Mutex<[String]>([])
        var all: [String] { arrivals.withLock { $0 } }
        func note(_ request: HTTPServerRequest) { arrivals.withLock { $0.append(request.method + " " + request.path) } }
    }

    func client(trusting isTrusting: Bool = true, connectTimeout: Duration = .seconds(10)) -> HTTPClient {
        var options = HTTPClient.Options(caFile: isTrusting ? caFile : nil)
        options.connectTimeout = connectTimeout
        return HTTPClient(loop: loop, options: options)
    }
}

/// `/hang` hangs; everything else is echoed.
func withTLS(
    protocols: String = "h2,http/1.1", handshakeDelay: Duration = .zero, _ body: (TLSWorld) async throws -> Void
) async throws {
    try await withTemporaryFolder { folder in
        try await withWorld { world in
            let certificate = try await Certificate(in: folder)
            let journal = TLSWorld.Journal()
            let server = HTTPServer(loop: world.loop, host: "127.0.0.1", port: 0) { request in
                journal.note(request)
                return request.path == "/hang" ? .hang : .respond(status: 200, body: request.body)
            }
            let port = try await server.start()
            let front = try await Program.start(
                "nghttpx",
                [
                    "--conf=/dev/null", "--single-process", "--no-ocsp", "--npn-list=\(protocols)",
                    "--frontend=unix:\(folder["front"])", "--backend=127.0.0.1,\(port)", certificate.keyFile,
                    certificate.file,
                ])
            try await listening(folder["front"])
            let relay = await Relay(world.wire, to: folder["front"], after: handshakeDelay)
            let outcome = await Result {
                try await body(TLSWorld(loop: world.loop, relay: relay, journal: journal, caFile: certificate.file))
            }
            await relay.stop()
            await front.stop()
            await server.stop()
            try outcome.get()
        }
    }
}

/// nghttpx has no way to say that it is ready other than to be.
private func listening(_ path: String) async throws {
    for _ in 0..<1000 {
        if let descriptor = Socket.connect(path: path) {
            close(descriptor)
            return
        }
        try await Task.sleep(for: .milliseconds(10))
    }
    throw POSIXError(.ECONNREFUSED)
}

extension Result where Failure == any Error {
    fileprivate init(catching body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
