import EventLoop
import Foundation

/// Passes TCP connections on to a Unix socket, each after a delay: a server that is slow to shake hands.
actor Relay {
    let loop: EventLoop
    nonisolated let port: UInt16
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let listener: Int32
    private let path: String
    private let delay: Duration
    private var acceptor: DescriptorWatch?
    private var pairs: [Int: Pair] = [:]
    private(set) var connections = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    private struct Pair {
        let descriptors: [Int32]
        var watches: [DescriptorWatch?] = []
        var timer: LoopTimer?
    }

    init(_ loop: EventLoop, to path: String, after delay: Duration = .zero) async {
        self.loop = loop
        self.path = path
        self.delay = delay
        (listener, port) = Socket.listen()
        acceptor = loop.watch(listener, for: .readable) { [weak self] _ in self?.assumeIsolated { $0.accept() } }
    }

    /// Returns once somebody has connected.
    func firstConnection() async {
        if connections == 0 { await withCheckedContinuation { waiting.append($0) } }
    }

    func stop() {
        acceptor?.cancel()
        acceptor = nil
        close(listener)
        for number in pairs.keys { end(number) }
    }

    private func accept() {
        let client = Foundation.accept(listener, nil, nil)
        guard client >= 0, let server = Socket.connect(path: path) else { return }
        connections += 1
        for continuation in waiting { continuation.resume() }
        waiting = []
        let number = connections
        pairs[number] = Pair(descriptors: [client, server])
        pairs[number]?.timer = loop.after(delay) { [weak self] in self?.assumeIsolated { $0.join(number) } }
    }

    private func join(_ number: Int) {
        guard let descriptors = pairs[number]?.descriptors else { return }
        pairs[number]?.watches = zip(descriptors, descriptors.reversed()).map { from, to in
            loop.watch(from, for: .readable) { [weak self] _ in
                self?.assumeIsolated { relay in
                    let bytes = Socket.read(from)
                    if bytes.isEmpty || !Socket.write(to, bytes) { relay.end(number) }
                }
            }
        }
    }

    private func end(_ number: Int) {
        guard let pair = pairs.removeValue(forKey: number) else { return }
        for watch in pair.watches { watch?.cancel() }
        pair.timer?.cancel()
        for descriptor in pair.descriptors { close(descriptor) }
    }
}
