import EventLoop
import Foundation

/// A server that answers each request with whatever bytes and acts a test wants.
actor ScriptedServer {
    enum Act: Sendable {
        case say(String)
        case wait(Duration)
        case close
        case reset
    }

    struct Arrival: Sendable {
        /// Both count from 1; `request` within its connection.
        let connection: Int
        let request: Int
        let text: String
    }

    let loop: EventLoop
    nonisolated let port: UInt16
    nonisolated var url: String { "http://127.0.0.1:\(port)/" }
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let listener: Int32
    private let script: @Sendable (Arrival) -> [Act]
    private var acceptor: DescriptorWatch?
    private var peers: [Int: Peer] = [:]
    private(set) var connections = 0
    private(set) var arrivals: [Arrival] = []
    private var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    private struct Peer {
        let descriptor: Int32
        var watch: DescriptorWatch?
        var timer: LoopTimer?
        var input: [UInt8] = []
        var requests = 0
    }

    init(_ loop: EventLoop, script: @escaping @Sendable (Arrival) -> [Act]) async {
        self.loop = loop
        self.script = script
        (listener, port) = Socket.listen()
        acceptor = loop.watch(listener, for: .readable) { [weak self] _ in self?.assumeIsolated { $0.accept() } }
    }

    /// Returns when `count` whole requests have arrived.
    func arrivals(_ count: Int) async -> [Arrival] {
        if arrivals.count < count { await withCheckedContinuation { waiting.append((count, $0)) } }
        return arrivals
    }

    func stop() {
        acceptor?.cancel()
        acceptor = nil
        close(listener)
        for number in peers.keys { end(number) { close($0) } }
    }

    private func accept() {
        let descriptor = Foundation.accept(listener, nil, nil)
        guard descriptor >= 0 else { return }
        connections += 1
        let number = connections
        peers[number] = Peer(descriptor: descriptor)
        peers[number]?.watch = loop.watch(descriptor, for: .readable) { [weak self] _ in
            self?.assumeIsolated { $0.read(number) }
        }
    }

    private func end(_ number: Int, _ how: (Int32) -> Void) {
        guard let peer = peers.removeValue(forKey: number) else { return }
        peer.watch?.cancel()
        peer.timer?.cancel()
        how(peer.descriptor)
    }

    private func read(_ number: Int) {
        guard let descriptor = peers[number]?.descriptor else { return }
        let bytes = Socket.read(descriptor)
        guard !bytes.isEmpty else { return end(number) { close($0) } }
        peers[number]?.input += bytes
        while let text = takeRequest(number) {
            guard let peer = peers[number] else { return }
            let arrival = Arrival(connection: number, request: peer.requests, text: text)
            arrivals.append(arrival)
            for waiter in waiting where waiter.count <= arrivals.count { waiter.continuation.resume() }
            waiting.removeAll { $0.count <= arrivals.count }
            play(script(arrival)[...], number)
        }
    }

    private func takeRequest(_ number: Int) -> String? {
        guard let input = peers[number]?.input else { return nil }
        let text = String(decoding: input, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { return nil }
        let head = text[..<end.lowerBound].lowercased()
        let length = head.split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }
        let size = text[..<end.upperBound].utf8.count + (length ?? 0)
        guard input.count >= size else { return nil }
        peers[number]?.input.removeFirst(size)
        peers[number]?.requests += 1
        return String(decoding: input[..<size], as: UTF8.self)
    }

    private func play(_ acts: ArraySlice<Act>, _ number: Int) {
        guard let act = acts.first, let descriptor = peers[number]?.descriptor else { return }
        switch act {
        case .say(let text): Socket.write(descriptor, Array(text.utf8))
        case .close: return end(number) { close($0) }
        case .reset: return end(number) { Socket.reset($0) }
        case .wait(let delay):
            peers[number]?.timer = loop.after(delay) { [weak self] in
                self?.assumeIsolated { $0.play(acts.dropFirst(), number) }
            }
            return
        }
        play(acts.dropFirst(), number)
    }
}

extension ScriptedServer.Act {
    /// A whole answer on a connection that stays open.
    static func answer(_ body: String, status: String = "200 OK", fields: String = "") -> Self {
        .say("HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)")
    }
}
