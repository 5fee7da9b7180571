import Foundation
import Synchronization
import TestSupport

/// A server that does exactly what a test tells it, which a real one never would.
///
/// Each connection plays the next script; further ones repeat the last. Blocking calls on threads of its own keep it
/// independent of everything that is tested.
final class ScriptedServer: Sendable {
    enum Step: Sendable {
        /// Reads until the bytes so far contain this text.
        case expect(String)
        case say(String)
        /// Answers the greeting of a client without a password or a database.
        case greet
        case close
        /// Keeps the connection open until the server stops.
        case hang
        /// See `ServerWire`.
        case updateKeys, renegotiate, sayGoodbye
    }

    enum Event: Sendable, Hashable {
        case accepted(Int)
        case hungUp(Int)
        case expected(Int, String)
    }

    enum Place: Sendable { case unix(String), tcp }

    let events = EventRecorder<Event>()
    /// The TCP port on 127.0.0.1, if it listens on one.
    let port: UInt16
    private let scripts: [[Step]]
    private let tls: ServerTLS?
    private let listener: Int32
    private let open = Mutex<[Int32]>([])

    init(_ place: Place, tls: ServerTLS? = nil, scripts: [[Step]]) throws {
        self.scripts = scripts
        self.tls = tls
        let listener: Int32
        switch place {
        case .unix(let path):
            listener = socket(AF_UNIX, Self.stream, 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            try Self.bind(listener, &address)
            port = 0
        case .tcp:
            listener = socket(AF_INET, Self.stream, 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
            try Self.bind(listener, &address)
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            _ = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &size) }
            }
            port = UInt16(bigEndian: address.sin_port)
        }
        self.listener = listener
        _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
        guard listen(listener, 64) == 0 else { throw POSIXError(.EIO) }
        Thread.detachNewThread { [self] in accept() }
    }

    #if os(Linux)
        private static let stream = Int32(SOCK_STREAM.rawValue)
    #else
        private static let stream = SOCK_STREAM
    #endif

    private static func bind<Address>(_ descriptor: Int32, _ address: inout Address) throws {
        let size = socklen_t(MemoryLayout<Address>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Foundation.bind(descriptor, $0, size) }
        }
        guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    private func accept() {
        var count = 0
        while true {
            let descriptor = Foundation.accept(listener, nil, nil)
            guard descriptor >= 0 else {
                close(listener)
                return
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            #if !os(Linux)
                var one: Int32 = 1
                setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &one, socklen_t(MemoryLayout<Int32>.size))
            #endif
            open.withLock { $0.append(descriptor) }
            let number = count
            count += 1
            events.record(.accepted(number))
            Thread.detachNewThread { [self] in
                play(scripts[min(number, scripts.count - 1)], number, descriptor)
                open.withLock { open in
                    open.removeAll { $0 == descriptor }
                    close(descriptor)
                }
            }
        }
    }

    private func play(_ script: [Step], _ number: Int, _ descriptor: Int32) {
        guard let wire = ServerWire(descriptor, tls) else { return events.record(.hungUp(number)) }
        var heard: [UInt8] = []
        for step in script {
            switch step {
            case .expect(let text):
                guard hear(text, on: wire, &heard) else { return events.record(.hungUp(number)) }
                events.record(.expected(number, text))
            case .say(let text): wire.write(Array(text.utf8))
            case .greet:
                guard hear("PING\r\n", on: wire, &heard) else { return events.record(.hungUp(number)) }
                wire.write(Array("+OK\r\n$14\r\nrun_id:abcdef\n\r\n+PONG\r\n".utf8))
            case .close: return
            case .updateKeys: wire.updateKeys()
            case .renegotiate: wire.renegotiate()
            case .sayGoodbye: wire.sayGoodbye()
            case .hang:
                _ = hear("a text that nobody says", on: wire, &heard)
                return events.record(.hungUp(number))
            }
        }
    }

    private func hear(_ text: String, on wire: ServerWire, _ heard: inout [UInt8]) -> Bool {
        while true {
            if let range = heard.firstRange(of: Array(text.utf8)) {
                heard.removeSubrange(..<range.upperBound)
                return true
            }
            var chunk = [UInt8](repeating: 0, count: 64 << 10)
            let count = wire.read(into: &chunk)
            guard count > 0 else { return false }
            heard += chunk[..<count]
        }
    }

    /// Ends every connection. The threads close their descriptors themselves: a number that is closed under a waiting
    /// thread may be another test's socket by the time it looks again.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        open.withLock { for descriptor in $0 { shutdown(descriptor, Int32(SHUT_RDWR)) } }
    }
}

/// Gives `body` a scripted server on a socket in a folder of its own.
func withScriptedServer<Result>(
    _ scripts: [[ScriptedServer.Step]], _ body: (ScriptedServer, _ path: String) async throws -> Result
) async throws -> Result {
    try await withTemporaryFolder { folder in
        let server = try ScriptedServer(.unix(folder["server.sock"]), scripts: scripts)
        defer { server.stop() }
        return try await body(server, folder["server.sock"])
    }
}
