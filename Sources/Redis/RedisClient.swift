package import EventLoop
package import Telemetry

/// A connection to Redis that many callers share.
///
/// Calls made at the same time travel together (one write for each turn of the loop) and are answered in order. It
/// connects with the first call and comes back by itself after a loss. Every call has a deadline. Nothing that blocks
/// on the server (`BLPOP`, `XREAD BLOCK`, `SUBSCRIBE`) belongs here: it would hold up everybody else; see
/// `RedisSubscriber`.
///
/// When the connection is lost, calls that had left whole fail with `connectionLost(mayHaveRun: true)`; nothing is ever
/// sent twice. What had not left waits for the next connection until its own deadline. A client that was never
/// connected fails its calls at the first refusal instead, since a wrong address doesn't cure itself.
package actor RedisClient {
    package struct Options: Sendable {
        /// From the first packet to the answered greeting, name resolution included.
        package var connectTimeout: Duration
        /// Deadline of a call that names none.
        package var commandTimeout: Duration
        /// The connection's name in `CLIENT LIST`; without blanks.
        package var name: String

        package init(
            connectTimeout: Duration = .seconds(2), commandTimeout: Duration = .seconds(5), name: String = "kulanz"
        ) {
            self.connectTimeout = connectTimeout
            self.commandTimeout = commandTimeout
            self.name = name
        }
    }

    package nonisolated let loop: EventLoop
    package nonisolated let endpoint: RedisEndpoint
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let options: Options
    private let log: Log
    private let watchers = Broadcast<RedisConnectionState>()
    private var conversation = Conversation()
    private lazy var connection = RedisConnection(loop, to: endpoint, options, log: log) { [weak self] event in
        self?.assumeIsolated { $0.happened(event) }
    }
    private var callers: [UInt64: LoopPromise<Result<RedisValue, RedisError>>] = [:]
    private var lastCall: UInt64 = 0
    private var restTimer: LoopTimer?
    private var deadlineTimer: LoopTimer?
    private var nextDeadline: ContinuousClock.Instant?
    private var isFlushScheduled = false

    package init(loop: EventLoop, endpoint: RedisEndpoint, options: Options = Options(), log: Log = .none) {
        self.loop = loop
        self.endpoint = endpoint
        self.options = options
        self.log = log
    }

    /// The present state, then every change. Each use makes a stream of its own.
    package nonisolated var states: AsyncStream<RedisConnectionState> { watchers.stream() }

    // MARK: Calls

    /// Sends one command and gives its answer; an error that the server answers with is thrown.
    ///
    /// - Parameter timeout: the deadline, counted from now; nil takes `commandTimeout`. When it passes, the connection
    ///   is closed, because the next answer could belong to the call that was given up.
    package func send(_ words: [RedisWord], timeout: Duration? = nil) async throws(RedisError) -> RedisValue {
        try await send(words, deadline: .now + (timeout ?? options.commandTimeout))
    }

    /// Runs a script by its SHA-1. If the server doesn't know it (a first run, a restart, `SCRIPT FLUSH`) the source is
    /// sent once, which loads and runs it in one step.
    package func run(
        _ script: RedisScript, keys: [String] = [], arguments: [RedisWord] = [], timeout: Duration? = nil
    ) async throws(RedisError) -> RedisValue {
        let deadline = ContinuousClock.now + (timeout ?? options.commandTimeout)
        var words: [RedisWord] = ["EVALSHA", RedisWord(script.sha1), RedisWord(keys.count)]
        words.reserveCapacity(words.count + keys.count + arguments.count)
        for key in keys { words.append(RedisWord(key)) }
        words += arguments
        do throws(RedisError) {
            return try await send(words, deadline: deadline)
        } catch {
            guard error.kind == .noScript else { throw error }
            words.replaceSubrange(..<2, with: ["EVAL", RedisWord(script.source)])
            return try await send(words, deadline: deadline)
        }
    }

    private func send(
        _ words: [RedisWord], deadline: ContinuousClock.Instant
    ) async throws(RedisError) -> RedisValue {
        precondition(!words.isEmpty, "a Redis command has at least one word")
        guard !Task.isCancelled else { throw .cancelled(mayHaveRun: false) }
        lastCall += 1
        let call = Conversation.Call(id: lastCall, bytes: RESP.encoded(words), deadline: deadline)
        let answer = LoopPromise<Result<RedisValue, RedisError>>(on: loop)
        callers[call.id] = answer
        perform(conversation.call(call))
        watchDeadline(deadline)
        let result = await withTaskCancellationHandler {
            await answer.value
        } onCancel: {
            Task { await self.cancel(call.id) }
        }
        return try result.get()
    }

    private func cancel(_ id: UInt64) { perform(conversation.cancel(id, written: written)) }

    /// Ends the connection for good. Calls that wait fail with `closed`.
    package func close() async {
        perform(conversation.close(written: written))
        deadlineTimer?.cancel()
        restTimer?.cancel()
        watchers.finish()
    }

    // MARK: Doing what the conversation decides

    private var written: UInt64 { connection.written }

    private func perform(_ actions: [Conversation.Action]) {
        for action in actions {
            switch action {
            case .connect: connection.open()
            case .write(let bytes):
                connection.write(bytes)
                scheduleFlush()
            case .disconnect: connection.close()
            case .rest(let failures):
                let delay = Backoff.delay(afterFailures: failures, random: .random(in: 0..<1))
                restTimer = loop.after(delay) { [weak self] in
                    self?.assumeIsolated { $0.perform($0.conversation.rested()) }
                }
            case .finish(let id, let result): callers.removeValue(forKey: id)?.keep(result)
            case .announce(let state):
                if case .disconnected = state { log(.info, "Redis is disconnected", ["redis": "\(endpoint)"]) }
                watchers.send(state)
            }
        }
    }

    private func scheduleFlush() {
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        // As a job of its own it runs after the callers that are already queued, so their commands share one write.
        Task {
            isFlushScheduled = false
            connection.flush()
        }
    }

    private func watchDeadline(_ deadline: ContinuousClock.Instant) {
        if let nextDeadline, nextDeadline <= deadline { return }
        nextDeadline = deadline
        deadlineTimer = loop.after(ContinuousClock.now.duration(to: deadline)) { [weak self] in
            self?.assumeIsolated { $0.checkDeadlines() }
        }
    }

    private func checkDeadlines() {
        nextDeadline = nil
        perform(conversation.passed(.now, written: written))
        if let earliest = conversation.earliestDeadline { watchDeadline(earliest) }
    }

    private func happened(_ event: RedisLink.Event) {
        switch event {
        case .ready(let runId): perform(conversation.connected(runId: runId))
        case .reply(let value): perform(conversation.reply(value, written: written))
        case .down(let fault): perform(conversation.failed(fault, written: written))
        }
    }
}
