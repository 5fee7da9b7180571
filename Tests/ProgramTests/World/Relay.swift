import Foundation
import Synchronization
import TestSupport

/// Stands between a worker and a server on a Unix socket, and does to what passes whatever a test wants.
///
/// Plain threads and blocking calls: a hook may wait as long as it likes and holds up nobody but its own connection.
final class Relay: Sendable {
    enum Act: Sendable {
        case pass
        case replace([UInt8])
        /// Drops these bytes and ends the connection: the answer is lost, what it answered has happened.
        case cut
    }

    enum Door: Sendable {
        case unix(String)
        /// Any free port of this machine.
        case tcp
    }

    /// What comes back from the server, chunk by chunk.
    typealias Hook = @Sendable ([UInt8]) -> Act

    let port: UInt16
    private let target: String
    private let listener: Int32
    private let delay: Duration
    private let onReply: Hook
    private let state = Mutex(State())

    private struct State {
        var open: Set<Int32> = []
        var isRefusing = false
        var isStopped = false
        var connections = 0
    }

    /// - Parameter delay: how long a new connection waits before its first byte is passed on.
    init(
        _ door: Door, to target: String, delay: Duration = .zero, onReply: @escaping Hook = { _ in .pass }
    ) {
        self.target = target
        self.delay = delay
        self.onReply = onReply
        switch door {
        case .unix(let path): (listener, port) = (Self.listen(path: path), 0)
        case .tcp: (listener, port) = Self.listenOnAnyPort()
        }
        Thread.detachNewThread { [self] in accept() }
    }

    /// Ends every connection and lets no new one in until `admit()`.
    func refuse() {
        state.withLock { $0.isRefusing = true }
        cutAll()
    }

    func admit() { state.withLock { $0.isRefusing = false } }

    /// Ends every connection; new ones are let in.
    func cutAll() { state.withLock { for descriptor in $0.open { shutdown(descriptor, Int32(SHUT_RDWR)) } } }

    var connections: Int { state.withLock { $0.connections } }

    func stop() {
        state.withLock { $0.isStopped = true }
        shutdown(listener, Int32(SHUT_RDWR))
        cutAll()
    }

    private func accept() {
        while true {
            let client = Foundation.accept(listener, nil, nil)
            guard client >= 0, !state.withLock({ $0.isStopped }) else { break }
            guard !state.withLock({ $0.isRefusing }), let server = Self.connect(path: target) else {
                close(client)
                continue
            }
            state.withLock {
                $0.open.formUnion([client, server])
                $0.connections += 1
            }
            Thread.detachNewThread { [self] in serve(client, server) }
        }
        close(listener)
    }

    private func serve(_ client: Int32, _ server: Int32) {
        if delay > .zero { Thread.sleep(forTimeInterval: delay / .seconds(1)) }
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [self] in
            pump(from: client, to: server) { _ in .pass }
            ended.signal()
        }
        pump(from: server, to: client, onReply)
        ended.wait()
        state.withLock { $0.open.subtract([client, server]) }
        close(client)
        close(server)
    }

    private func pump(from source: Int32, to sink: Int32, _ hook: Hook) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(source, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            let bytes = Array(buffer[..<count])
            let isWritten =
                switch hook(bytes) {
                case .pass: Self.write(sink, bytes)
                case .replace(let others): Self.write(sink, others)
                case .cut: false
                }
            guard isWritten else { break }
        }
        for descriptor in [source, sink] { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    // MARK: Sockets

    private static func write(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func listen(path: String) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let isBound = withUnixAddress(path) { bind(descriptor, $0, $1) == 0 }
        precondition(isBound && Foundation.listen(descriptor, 128) == 0, "can't listen on \(path)")
        return descriptor
    }

    private static func listenOnAnyPort() -> (Int32, UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in.loopback()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && Foundation.listen(descriptor, 128) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        precondition(isBound, "can't listen on a port")
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    private static func connect(path: String) -> Int32? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        if withUnixAddress(path, { Foundation.connect(descriptor, $0, $1) == 0 }) { return descriptor }
        close(descriptor)
        return nil
    }

    private static func withUnixAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

/// Something that one thread sets once and others wait for.
final class Once: Sendable {
    private let isTaken = Mutex(false)
    private let isSet = Mutex(false)
    private let door = DispatchSemaphore(value: 0)

    /// True for the first who asks.
    func take() -> Bool {
        isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
    }

    func set() {
        isSet.withLock { $0 = true }
        door.signal()
    }

    var hasHappened: Bool { isSet.withLock { $0 } }

    /// Blocks the calling thread, which is one of a relay's own.
    func wait() {
        door.wait()
        door.signal()
    }
}

extension [UInt8] {
    func contains(_ text: String) -> Bool { firstRange(of: Array(text.utf8)) != nil }
}

/// A value that threads and tests share.
final class Shared<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) { state = Mutex(value) }

    var value: Value {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    func change<Result: Sendable>(_ body: @Sendable (inout Value) -> Result) -> Result {
        state.withLock { value in body(&value) }
    }
}
