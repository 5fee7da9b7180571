package import EventLoop
package import Telemetry

/// What must not share a connection with ordinary calls: subscriptions, and reads that block on the server.
///
/// All subscriptions share one connection, which is made with the first of them and comes back by itself. A PING every
/// few seconds finds a connection that is dead but silent. Each blocking read has a connection to itself while it runs.
package actor RedisSubscriber {
    package nonisolated let loop: EventLoop
    package nonisolated let endpoint: RedisEndpoint
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let options: RedisClient.Options
    private let beatPeriod: Duration
    private let log: Log
    private let watchers = Broadcast<RedisConnectionState>()
    private lazy var connection = RedisConnection(loop, to: endpoint, options, purpose: " for bells", log: log) {
        [weak self] event in self?.assumeIsolated { $0.happened(event) }
    }
    private var subscriptions = Subscriptions()
    private var listeners: [UInt64: Listener] = [:]
    private var lastListener: UInt64 = 0
    private var phase = Phase.idle
    private var failures = 0
    private var restTimer: LoopTimer?
    private var beatTimer: LoopTimer?
    private var idleReaders: [RedisClient] = []
    private var busyReaders: [ObjectIdentifier: RedisClient] = [:]

    private enum Phase { case idle, connecting, ready, resting, closed }

    private struct Listener {
        let stream: AsyncStream<RedisMessage>.Continuation
        let isWanted: @Sendable (RedisMessage) -> Bool
    }

    /// - Parameter beatPeriod: how often a PING goes out; a dead connection is found within two of these.
    package init(
        loop: EventLoop, endpoint: RedisEndpoint, options: RedisClient.Options = .init(name: "kulanz-bells"),
        beatPeriod: Duration = .seconds(5), log: Log = .none
    ) {
        self.loop = loop
        self.endpoint = endpoint
        self.options = options
        self.beatPeriod = beatPeriod
        self.log = log
    }

    /// The present state of the subscriptions' connection, then every change. Each use makes a stream of its own.
    package nonisolated var states: AsyncStream<RedisConnectionState> { watchers.stream() }

    // MARK: Subscriptions

    /// Listens to exact channels until the stream is dropped. It yields `.subscribed` once all of them are heard, and
    /// `.resubscribed` whenever that is so again after a loss.
    ///
    /// Of a listener that doesn't keep up the newest 1,024 are kept: these are bells, and one says as much as many. What
    /// isn't wanted doesn't even wake it.
    package func messages(
        channels: [String], sharded: [String] = [],
        where isWanted: @escaping @Sendable (RedisMessage) -> Bool = { _ in true }
    ) -> AsyncStream<RedisMessage> {
        let (stream, continuation) = AsyncStream<RedisMessage>.makeStream(bufferingPolicy: .bufferingNewest(1024))
        guard phase != .closed else {
            continuation.finish()
            return stream
        }
        lastListener += 1
        let id = lastListener
        listeners[id] = Listener(stream: continuation, isWanted: isWanted)
        continuation.onTermination = { [weak self] _ in
            guard let self else { return }
            Task { await self.drop(id) }
        }
        let all =
            channels.map { RedisChannel(kind: .plain, name: $0) }
            + sharded.map { RedisChannel(kind: .sharded, name: $0) }
        perform(subscriptions.add(id, Set(all)))
        if phase == .idle { connect() }
        return stream
    }

    private func drop(_ id: UInt64) {
        listeners[id] = nil
        perform(subscriptions.remove(id))
    }

    private func perform(_ actions: [Subscriptions.Action]) {
        for action in actions {
            switch action {
            case .send(let words): connection.write(RESP.encoded(words))
            case .yield(let id, let message):
                if let listener = listeners[id], listener.isWanted(message) { listener.stream.yield(message) }
            case .giveUp(let reason):
                log(.warning, "The connection for bells makes no sense", ["reason": reason])
                return failed()
            }
        }
        connection.flush()
    }

    // MARK: Blocking reads

    /// Sends a command that may wait on the server for up to `blocking`, such as
    /// `["XREAD", "BLOCK", "5000", "STREAMS", …]`, on a connection to itself.
    ///
    /// Never let the command block without end: the deadline, `blocking` and `commandTimeout` together, is what finds
    /// a connection that died in silence. Cancelling the task ends the read at once.
    package func blockingRead(_ words: [RedisWord], blocking: Duration) async throws(RedisError) -> RedisValue {
        guard phase != .closed else { throw .closed(mayHaveRun: false) }
        let reader = idleReaders.popLast() ?? makeReader()
        let key = ObjectIdentifier(reader)
        busyReaders[key] = reader
        do throws(RedisError) {
            let value = try await reader.send(words, timeout: blocking + options.commandTimeout)
            await giveBack(reader)
            return value
        } catch {
            // The server may still be blocked in the command; this connection can't carry another one.
            if case .server = error { await giveBack(reader) } else { await discard(reader) }
            throw error
        }
    }

    private func makeReader() -> RedisClient {
        var options = options
        options.name += "-read"
        return RedisClient(loop: loop, endpoint: endpoint, options: options, log: log)
    }

    private func giveBack(_ reader: RedisClient) async {
        busyReaders[ObjectIdentifier(reader)] = nil
        guard phase != .closed else { return await reader.close() }
        idleReaders.append(reader)
    }

    private func discard(_ reader: RedisClient) async {
        busyReaders[ObjectIdentifier(reader)] = nil
        await reader.close()
    }

    // MARK: The connection

    private func connect() {
        phase = .connecting
        connection.open()
    }

    private func happened(_ event: RedisLink.Event) {
        switch event {
        case .ready(let runId):
            phase = .ready
            watchers.send(.connected(runId: runId))
            beatTimer = loop.every(beatPeriod) { [weak self] in self?.assumeIsolated { $0.beat() } }
            perform(subscriptions.connected())
        case .reply(let value):
            failures = 0
            perform(subscriptions.received(value))
        case .down: failed()
        }
    }

    private func beat() {
        let (isAlive, actions) = subscriptions.beat()
        guard isAlive else {
            log(.warning, "The connection for bells is dead: no answer to PING", ["redis": "\(endpoint)"])
            return failed()
        }
        perform(actions)
    }

    private func failed() {
        guard phase == .connecting || phase == .ready else { return }
        if phase == .ready {
            log(.info, "The connection for bells is lost", ["redis": "\(endpoint)"])
            watchers.send(.disconnected)
        }
        disconnect()
        failures += 1
        phase = .resting
        let delay = Backoff.delay(afterFailures: failures, random: .random(in: 0..<1))
        restTimer = loop.after(delay) { [weak self] in
            self?.assumeIsolated { subscriber in
                guard subscriber.phase == .resting else { return }
                subscriber.connect()
            }
        }
    }

    private func disconnect() {
        beatTimer = nil
        connection.close()
        subscriptions.disconnected()
    }

    /// Ends every subscription and every blocking read for good.
    package func close() async {
        guard phase != .closed else { return }
        phase = .closed
        restTimer = nil
        disconnect()
        for listener in listeners.values { listener.stream.finish() }
        listeners = [:]
        watchers.finish()
        let readers = idleReaders + busyReaders.values
        (idleReaders, busyReaders) = ([], [:])
        for reader in readers { await reader.close() }
    }
}
