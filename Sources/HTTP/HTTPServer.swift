package import EventLoop

/// An HTTP/1.1 server on the loop (libmicrohttpd), over TLS if it has an identity. For HTTP/2 put a proxy before it.
package actor HTTPServer {
    package typealias Handler = @Sendable (HTTPServerRequest) async -> HTTPServerAction

    private let loop: EventLoop
    private let host: String
    private let port: UInt16
    private let identity: TLSIdentity?
    private let handler: Handler
    private let maxBodyBytes: Int
    private let beforeBody: @Sendable (HTTPServerRequest) -> HTTPServerAction?
    private var daemon: MicroHTTPD?
    private var running: [UInt64: Task<Void, Never>] = [:]
    private var drained: (timer: LoopTimer, continuation: CheckedContinuation<Void, Never>)?
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - port: 0 takes any free one; `start` tells which.
    ///   - identity: with it the server speaks TLS and nothing else.
    ///   - maxBodyBytes: a longer body is answered with 413, or cut if its length wasn't told beforehand.
    ///   - beforeBody: asked on the loop's thread as soon as the fields are read, so it has to be quick. An action
    ///     is carried out at once, the body unread; nil lets the body come and the handler decide.
    ///   - handler: begins on the loop's thread, and stays there unless it leaves it; it may take its time.
    package init(
        loop: EventLoop, host: String, port: UInt16, identity: TLSIdentity? = nil, maxBodyBytes: Int = 1 << 20,
        beforeBody: @escaping @Sendable (HTTPServerRequest) -> HTTPServerAction? = { _ in nil },
        handler: @escaping Handler
    ) {
        self.loop = loop
        self.host = host
        self.port = port
        self.identity = identity
        self.maxBodyBytes = maxBodyBytes
        self.beforeBody = beforeBody
        self.handler = handler
    }

    deinit {
        // No handler runs, for it would hold this actor.
        guard let daemon else { return }
        let domain = LoopDomain(loop)
        Task { await domain.run { _ in daemon.stop() } }
    }

    /// Listens from here on; returns the port.
    package func start() async throws(HTTPServerError) -> UInt16 {
        guard daemon == nil else { throw .alreadyStarted }
        let daemon = MicroHTTPD(loop: loop, maxBodyBytes: maxBodyBytes, beforeBody: beforeBody) {
            [weak self] id, request in
            self?.assumeIsolated { $0.handle(id, request) }
        }
        let port = try daemon.start(host: host, port: port, as: identity)
        self.daemon = daemon
        return port
    }

    private func handle(_ id: UInt64, _ request: HTTPServerRequest) {
        running[id] = Task {
            let action = await handler(request)
            running[id] = nil
            daemon?.decide(id, action)
            if running.isEmpty { endDrain() }
        }
    }

    /// Takes no new connection, gives running handlers `grace`, then cancels them, cuts what is unanswered (what
    /// hangs, too) and closes every connection. A server that doesn't run is stopped already.
    package func stop(grace: Duration = .zero) async {
        guard let daemon else { return }
        daemon.quiesce()
        if grace > .zero, !running.isEmpty, drained == nil {
            await withCheckedContinuation { continuation in
                let timer = loop.after(grace) { [weak self] in self?.assumeIsolated { $0.endDrain() } }
                drained = (timer, continuation)
            }
        }
        for task in running.values { task.cancel() }
        self.daemon = nil
        daemon.stop()
    }

    private func endDrain() {
        drained?.continuation.resume()
        drained = nil
    }
}
