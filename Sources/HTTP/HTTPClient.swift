package import EventLoop

/// Sends requests over warm connections and tells of each whether the server may have seen it.
///
/// HTTP/2 over TLS where the server speaks it (ALPN), HTTP/1.1 else; no redirect, proxy or cookie. Each transfer puts
/// at most one request on the wire; see `Departure`.
package actor HTTPClient {
    package struct Options: Sendable {
        /// A PEM file of certificate authorities that are trusted beside the system's hashed directory. Where libcurl
        /// was built without such a directory it has to hold every authority that is needed.
        package var caFile: String?
        /// From the start to a connection that is ready, name and handshake included.
        package var connectTimeout: Duration = .seconds(10)
        /// Head and body of one answer together.
        package var maxAnswerBytes = 1 << 20
        package var userAgent = "kulanz"
        /// HTTP/1.1 needs one for each request under way; further requests wait for a free one.
        package var maxConnectionsPerHost = 256

        package init(caFile: String? = nil) { self.caFile = caFile }
    }

    private let loop: EventLoop
    private let options: Options
    private var multi: CurlMulti
    /// Those that get no new request any more, until their last one has ended.
    private var retired: [CurlMulti] = []
    private var calls: [Int: Call] = [:]
    private var nextCall = 0
    private var isClosed = false
    /// When each server (scheme, host and port; TLS only) last answered.
    private var lastAnswers: [String: ContinuousClock.Instant] = [:]
    private var settling: [String: Task<Void, Never>] = [:]
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private struct Call {
        let transfer: CurlTransfer
        let multi: CurlMulti
        var deadline: LoopTimer?
    }

    package init(loop: EventLoop, options: Options = Options()) {
        self.loop = loop
        self.options = options
        multi = CurlMulti(loop: loop, options: options)
    }

    deinit {
        // No call is under way, for it would hold this actor; idle connections are closed where they live.
        let (multis, domain) = (retired + [multi], LoopDomain(loop))
        Task { await domain.run { _ in for multi in multis { multi.close(.closed) } } }
    }

    /// Sends one request and waits for its whole answer, at most `deadline` in all.
    ///
    /// `mayDepart` is asked on the loop, immediately before the request is written: connected, nothing sent. False
    /// ends the transfer as surely unseen; on HTTP/2 the connection stays, on HTTP/1.1 it is closed, and if it was
    /// made for this request over TLS, it is settled by `HEAD /` (see `warm`). Cancelling the task takes the transfer
    /// out, wherever it is.
    package func send(
        _ request: HTTPRequest, deadline: Duration, mayDepart: @escaping @Sendable () -> Bool = { true }
    ) async -> HTTPOutcome {
        await exchange(request, deadline: deadline, mayDepart: mayDepart).outcome
    }

    /// `send`, with how long its steps took.
    package func exchange(
        _ request: HTTPRequest, deadline: Duration, mayDepart: @escaping @Sendable () -> Bool = { true }
    ) async -> (outcome: HTTPOutcome, timings: HTTPTimings) {
        nextCall += 1
        let id = nextCall
        let answer = LoopPromise<(outcome: HTTPOutcome, timings: HTTPTimings)>(on: loop)
        start(id, request, deadline, mayDepart) { answer.keep(($0, $1)) }
        return await withTaskCancellationHandler {
            await answer.value
        } onCancel: {
            Task { await self.end(id, HTTPFailure(kind: .cancelled, message: "the task was cancelled")) }
        }
    }

    private func start(
        _ id: Int, _ request: HTTPRequest, _ deadline: Duration, _ mayDepart: @escaping @Sendable () -> Bool,
        finish: @escaping (HTTPOutcome, HTTPTimings) -> Void
    ) {
        guard !isClosed else { return finish(.unsent(.closed), HTTPTimings()) }
        guard !Task.isCancelled else {
            return finish(.unsent(HTTPFailure(kind: .cancelled, message: "cancelled before it began")), HTTPTimings())
        }
        let server = Self.secureServer(of: request.url)
        let transfer = CurlTransfer(request, options: options, mayDepart: mayDepart) { [weak self] outcome, timings in
            self?.assumeIsolated {
                $0.calls[id] = nil
                $0.closeRetired()
                $0.learn(server, outcome, timings)
            }
            finish(outcome, timings)
        }
        guard let transfer else {
            let failure = HTTPFailure(kind: .invalid, message: "method, URL or a header can't be sent as it is")
            return finish(.unsent(failure), HTTPTimings())
        }
        calls[id] = Call(transfer: transfer, multi: multi, deadline: timer(id, after: deadline, isLast: false))
        multi.add(transfer)
    }

    /// The deadline gets one more turn of the loop: an answer that lies in the socket already is evidence about money,
    /// and a loop that was held up would otherwise look at its timers first.
    private func timer(_ id: Int, after delay: Duration, isLast: Bool) -> LoopTimer {
        loop.after(delay) { [weak self] in
            self?.assumeIsolated { this in
                guard isLast else { return this.calls[id]?.deadline = this.timer(id, after: .zero, isLast: true) }
                this.end(id, HTTPFailure(kind: .timedOut, message: "no whole answer by the deadline"))
            }
        }
    }

    private func end(_ id: Int, _ failure: HTTPFailure) {
        guard let call = calls[id], call.multi.remove(call.transfer) else { return }
        if failure.kind == .timedOut, call.multi === multi, multi.hasFallenSilent(under: call.transfer) { retire() }
        call.transfer.fail(failure)
    }

    /// A connection that brings nothing while an answer is due may be dead without a word, and libcurl would put every
    /// further request on it. So they go elsewhere from now on; those under way wait for their own ends. libcurl has no
    /// word for leaving one connection, so all of this client's are left. See
    /// docs/decisions/0034-connections-that-fall-silent.md.
    private func retire() {
        retired.append(multi)
        multi = CurlMulti(loop: loop, options: options)
        // Nobody is known to be warm there.
        lastAnswers = [:]
    }

    /// Not at once: libcurl may be calling.
    private func closeRetired() {
        guard !retired.isEmpty else { return }
        Task {
            retired.removeAll { old in
                guard !calls.values.contains(where: { $0.multi === old }) else { return false }
                old.close(.closed)
                return true
            }
        }
    }

    /// Makes sure of a connection to the server of `url`, so that the next request departs without a handshake.
    ///
    /// A server that has not answered for `warmth` gets `HEAD /`, over whatever protocol; else, and for plain HTTP,
    /// which has no handshake worth it, nothing is done. Failures show with the next `send`. Why a request and not
    /// just a connection: docs/decisions/0020-warm-connections.md.
    package func warm(_ url: String) async {
        guard let server = Self.secureServer(of: url) else { return }
        if let last = lastAnswers[server], .now - last < Self.warmth { return }
        await settle(server)
    }

    /// How long an answer proves that its connection is alive and settled.
    private static let warmth = Duration.seconds(30)

    /// Whoever comes while it runs waits for the same one.
    private func settle(_ server: String) async {
        guard !isClosed else { return }
        let task =
            settling[server]
            ?? Task {
                _ = await send(HTTPRequest(method: "HEAD", url: server + "/"), deadline: options.connectTimeout)
                settling[server] = nil
            }
        settling[server] = task
        await task.value
    }

    /// Scheme, host and port of a URL with TLS; nil for others.
    private static func secureServer(of url: String) -> String? {
        let parts = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true)
        guard parts.count >= 2, parts[0].lowercased() == "https:" else { return nil }
        return "https://" + parts[1].prefix { $0 != "?" && $0 != "#" }.lowercased()
    }

    private func learn(_ server: String?, _ outcome: HTTPOutcome, _ timings: HTTPTimings) {
        guard let server else { return }
        switch outcome {
        case .response: lastAnswers[server] = .now
        case .unsent(let failure) where failure.kind == .notPermitted && timings.madeConnection:
            // Too late after a handshake. The new connection stays, but libcurl takes one that it has never read
            // from for dead when it finds nothing but TLS tickets there: settled now, it can't come to a loop.
            Task { await settle(server) }
        case .unsent, .unclear: break
        }
    }

    /// Ends every transfer (unsent or unclear, as it stands) and closes every connection. Later sends are unsent.
    package func close() {
        isClosed = true
        for multi in retired + [multi] { multi.close(.closed) }
    }
}

extension HTTPFailure {
    fileprivate static let closed = HTTPFailure(kind: .cancelled, message: "the client is closed")
}
