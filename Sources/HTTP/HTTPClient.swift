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
    private let multi: CurlMulti
    private var calls: [Int: Call] = [:]
    private var nextCall = 0
    private var isClosed = false
    /// Servers (scheme, host and port) that were seen to speak only HTTP/1.1 over TLS.
    private var oneRequestServers: Set<String> = []
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private struct Call {
        let transfer: CurlTransfer
        var deadline: LoopTimer?
    }

    package init(loop: EventLoop, options: Options = Options()) {
        self.loop = loop
        self.options = options
        multi = CurlMulti(loop: loop, options: options)
    }

    deinit {
        // No call is under way, for it would hold this actor; idle connections are closed where they live.
        let (multi, domain) = (multi, LoopDomain(loop))
        Task { await domain.run { _ in multi.close(.closed) } }
    }

    /// Sends one request and waits for its whole answer, at most `deadline` in all.
    ///
    /// `mayDepart` is asked on the loop, immediately before the request is written: connected, nothing sent. False
    /// ends the transfer as surely unseen; on HTTP/2 the connection stays, on HTTP/1.1 it is closed. Cancelling the
    /// task takes the transfer out, wherever it is.
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
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                start(id, request, deadline, mayDepart) { continuation.resume(returning: ($0, $1)) }
            }
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
        let transfer = CurlTransfer(request, options: options, mayDepart: mayDepart) { [weak self] outcome, timings in
            self?.assumeIsolated { $0.calls[id] = nil }
            finish(outcome, timings)
        }
        guard let transfer else {
            let failure = HTTPFailure(kind: .invalid, message: "method, URL or a header can't be sent as it is")
            return finish(.unsent(failure), HTTPTimings())
        }
        calls[id] = Call(transfer: transfer, deadline: timer(id, after: deadline, isLast: false))
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
        guard let call = calls[id], multi.remove(call.transfer) else { return }
        call.transfer.fail(failure)
    }

    /// Makes a connection to the server of `url` ready, so that the next request departs without a handshake.
    ///
    /// On HTTP/2 nothing is sent: a transfer is ended before its request is written, and its connection stays. A
    /// server that speaks only HTTP/1.1 over TLS gets `HEAD /`, since libcurl closes an HTTP/1.1 connection whose
    /// transfer was ended. Plain HTTP has no handshake worth it: nothing is done. Failures show with the next `send`.
    package func warm(_ url: String) async {
        guard url.lowercased().hasPrefix("https://") else { return }
        let server = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true).prefix(2)
            .joined(separator: "//").lowercased()
        let head = HTTPRequest(method: "HEAD", url: server + "/")
        if !oneRequestServers.contains(server) {
            guard await touch(head) else { return }
            // The first made a connection; the second finds it again, unless it was HTTP/1.1 and is gone.
            guard await touch(head) else { return }
            oneRequestServers.insert(server)
        }
        if case .response(let response) = await send(head, deadline: options.connectTimeout),
            response.version.hasPrefix("2")
        {
            oneRequestServers.remove(server)
        }
    }

    /// Goes as far as a request goes before it is written; true if a new connection was made for it.
    private func touch(_ request: HTTPRequest) async -> Bool {
        let (outcome, timings) = await exchange(request, deadline: options.connectTimeout) { false }
        guard case .unsent(let failure) = outcome, failure.kind == .notPermitted else { return false }
        return timings.madeConnection
    }

    /// Ends every transfer (unsent or unclear, as it stands) and closes every connection. Later sends are unsent.
    package func close() {
        isClosed = true
        multi.close(.closed)
    }
}

extension HTTPFailure {
    fileprivate static let closed = HTTPFailure(kind: .cancelled, message: "the client is closed")
}
