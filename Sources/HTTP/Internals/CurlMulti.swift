import CCurl
import EventLoop
import Foundation

/// libcurl's multi handle, driven by the loop: libcurl says which descriptors and which time to wait for
/// (`CURLMOPT_SOCKETFUNCTION`, `CURLMOPT_TIMERFUNCTION`), the loop says when (`curl_multi_socket_action`).
// @unchecked: made anywhere, touched on the loop's thread only.
final class CurlMulti: @unchecked Sendable {
    private let loop: EventLoop
    private let multi: UnsafeMutableRawPointer
    private var watches: [curl_socket_t: DescriptorWatch] = [:]
    /// What transfers wait for on each descriptor.
    private var interests: [curl_socket_t: DescriptorWatch.Readiness] = [:]
    /// Sockets of connections that have carried a transfer and that libcurl keeps, until it closes them through us.
    /// Others (the resolver's, attempts to connect) it may close without a word.
    private var kept: Set<curl_socket_t> = []
    /// Those of them that no transfer waits for.
    private var idle: Set<curl_socket_t> = []
    /// When something last came on each open connection, or when it was begun.
    private var lastWords: [curl_socket_t: ContinuousClock.Instant] = [:]
    private var timer: LoopTimer?
    private var nudge: LoopTimer?
    private var transfers: [UnsafeMutableRawPointer: CurlTransfer] = [:]
    private var isOpen = true

    /// Once for the process, before any handle.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    init(loop: EventLoop, options: HTTPClient.Options) {
        precondition(Self.isReady, "libcurl could not start")
        guard let multi = curl_multi_init() else { preconditionFailure("libcurl could not start: out of memory") }
        self.loop = loop
        self.multi = multi
        kulanz_multi_set_long(multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX)
        kulanz_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, options.maxConnectionsPerHost)
        // By default libcurl keeps four for each transfer that is under way, so the pool would shrink as it idles.
        kulanz_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 2 * options.maxConnectionsPerHost)
        // Unretained: `close` ends the multi handle, and the owner closes before it lets go.
        let this = Unmanaged.passUnretained(self).toOpaque()
        kulanz_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, this)
        kulanz_multi_set_socket(multi) { _, socket, interest, this, _ in
            CurlMulti.from(this)?.watch(socket, interest)
            return 0
        }
        kulanz_multi_set_pointer(multi, CURLMOPT_TIMERDATA, this)
        kulanz_multi_set_timer(multi) { _, milliseconds, this in
            CurlMulti.from(this)?.wait(milliseconds)
            return 0
        }
    }

    private static func from(_ pointer: UnsafeMutableRawPointer?) -> CurlMulti? {
        pointer.map { Unmanaged<CurlMulti>.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: Transfers

    /// Starts a transfer; it ends by its `complete` or, after `remove`, by whatever the caller says.
    func add(_ transfer: CurlTransfer) {
        transfers[transfer.easy] = transfer
        listen(transfer.easy)
        transfer.onGoAway = { [weak self, unowned transfer] last in
            guard let connection = transfer.connection, let others = self?.transfers.values else { return }
            for other in others where other.connection == connection { other.leftBehind(above: last) }
        }
        if transfer.isSecure, nudge == nil {
            nudge = loop.every(Self.nudgePeriod) { [weak self] in self?.nudgeTransfers() }
        }
        curl_multi_add_handle(multi, transfer.easy)
    }

    /// Takes a transfer out: HTTP/2 resets its stream, HTTP/1 closes its connection. False: it had ended before.
    func remove(_ transfer: CurlTransfer) -> Bool {
        guard transfers.removeValue(forKey: transfer.easy) != nil else { return false }
        curl_multi_remove_handle(multi, transfer.easy)
        return true
    }

    /// Whether the connection of a transfer that was taken out is still open, which over HTTP/1 it is not, and has
    /// brought nothing during the second half of the time that the transfer waited.
    ///
    /// Not of all that time: a server that then falls silent may still have acknowledged the request's body.
    func hasFallenSilent(under transfer: CurlTransfer) -> Bool {
        guard let connection = transfer.connection, let departure = transfer.departure else { return false }
        let halfTime = departure + (.now - departure) / 2
        return lastWords.contains { $0.value < halfTime && ConnectionEnds(of: $0.key) == connection }
    }

    /// Ends every transfer with `failure` and closes every connection; a second call does nothing.
    func close(_ failure: HTTPFailure) {
        guard isOpen else { return }
        isOpen = false
        for transfer in transfers.values where remove(transfer) { transfer.fail(failure) }
        curl_multi_cleanup(multi)
        (timer, nudge) = (nil, nil)
        watches = [:]
    }

    // MARK: What libcurl waits for

    private func watch(_ socket: curl_socket_t, _ interest: Int32) {
        guard interest != CURL_POLL_REMOVE else { return forget(socket) }
        if idle.remove(socket) != nil { watches.removeValue(forKey: socket)?.cancel() }
        var readiness: DescriptorWatch.Readiness = []
        if interest & CURL_POLL_IN != 0 { readiness.insert(.readable) }
        if interest & CURL_POLL_OUT != 0 { readiness.insert(.writable) }
        interests[socket] = readiness
        if let watch = watches[socket] { return watch.update(readiness) }
        watches[socket] = loop.watch(socket, for: readiness) { [weak self] readiness in
            var events: Int32 = 0
            if readiness.contains(.readable) {
                events |= CURL_CSELECT_IN
                self?.lastWords[socket] = .now
            }
            if readiness.contains(.writable) { events |= CURL_CSELECT_OUT }
            // Not `CURL_CSELECT_ERR`, on which libcurl gives up unread what may lie in the socket. A read finds it
            // first, then the error. libuv has ended the watch; if libcurl goes on with the socket, so does it.
            if readiness.contains(.failed) { events = CURL_CSELECT_IN | CURL_CSELECT_OUT }
            self?.act(socket, events)
            if readiness.contains(.failed) { self?.rewatch(socket) }
        }
    }

    private func rewatch(_ socket: curl_socket_t) {
        guard let interest = interests[socket] else { return }
        watches[socket]?.update(interest)
    }

    /// No transfer waits for this descriptor any more: its connection idles, or is closed already or next.
    private func forget(_ socket: curl_socket_t) {
        // At once, for its number may be another descriptor's before the loop looks again.
        watches.removeValue(forKey: socket)?.cancel()
        interests[socket] = nil
        if kept.contains(socket) { watchIdle(socket) }
    }

    private func watchIdle(_ socket: curl_socket_t) {
        idle.insert(socket)
        watches[socket] = loop.watch(socket, for: .hungUp) { [weak self] _ in self?.drain(socket) }
    }

    /// A transfer has ended; its connection, if libcurl keeps it, will be closed through us.
    private func keepConnection(of easy: UnsafeMutableRawPointer) {
        var socket = CURL_SOCKET_BAD
        kulanz_easy_get_socket(easy, CURLINFO_ACTIVESOCKET, &socket)
        guard socket != CURL_SOCKET_BAD, kept.insert(socket).inserted, watches[socket] == nil else { return }
        watchIdle(socket)
    }

    /// The server has closed or reset an idle connection. Where it left some last words (HTTP/2's GOAWAY, TLS'
    /// close_notify), libcurl 7.88 takes them for life and sends the next request into the void, which makes it
    /// unclear. Without them it sees the end and makes a new connection.
    private func drain(_ socket: curl_socket_t) {
        watches[socket]?.update([])
        var words = [UInt8](repeating: 0, count: 16_384)
        while recv(socket, &words, words.count, Int32(MSG_DONTWAIT)) > 0 {}
    }

    private func listen(_ easy: UnsafeMutableRawPointer) {
        let this = Unmanaged.passUnretained(self).toOpaque()
        kulanz_easy_set_pointer(easy, CURLOPT_OPENSOCKETDATA, this)
        kulanz_easy_set_open_socket(easy) { this, _, address in
            guard let address = address?.pointee else { return CURL_SOCKET_BAD }
            let socket = Foundation.socket(address.family, address.socktype, address.protocol)
            guard socket >= 0 else { return CURL_SOCKET_BAD }
            // No child process inherits a connection: it would keep it open.
            _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
            CurlMulti.from(this)?.lastWords[socket] = .now
            return socket
        }
        kulanz_easy_set_pointer(easy, CURLOPT_CLOSESOCKETDATA, this)
        kulanz_easy_set_close_socket(easy) { this, socket in
            CurlMulti.from(this)?.close(socket)
            return 0
        }
    }

    private func close(_ socket: curl_socket_t) {
        kept.remove(socket)
        lastWords[socket] = nil
        idle.remove(socket)
        forget(socket)
        _ = Foundation.close(socket)
    }

    private func wait(_ milliseconds: Int) {
        timer = nil
        guard milliseconds >= 0 else { return }
        timer = loop.after(.milliseconds(milliseconds)) { [weak self] in self?.act(CURL_SOCKET_TIMEOUT, 0) }
    }

    // MARK: What the loop says

    private static let nudgePeriod = Duration.milliseconds(20)

    /// libcurl 7.88 at times reads the end of an HTTP/2 answer into its own buffer and then waits for the socket to
    /// become readable once more. On a connection that nothing else uses it waits until the deadline, and an answer
    /// that is here counts as none. A read that finds nothing is the cure, and cheap.
    private func nudgeTransfers() {
        guard transfers.values.contains(where: \.isSecure) else { return nudge = nil }
        for socket in interests.keys { act(socket, CURL_CSELECT_IN) }
    }

    private func act(_ socket: curl_socket_t, _ events: Int32) {
        guard isOpen else { return }
        var running: Int32 = 0
        curl_multi_socket_action(multi, socket, events, &running)
        var waiting: Int32 = 0
        while let message = curl_multi_info_read(multi, &waiting)?.pointee {
            guard message.msg == CURLMSG_DONE, let easy = message.easy_handle, let transfer = transfers[easy]
            else { continue }
            let code = message.data.result
            keepConnection(of: easy)
            if remove(transfer) { transfer.complete(code) }
        }
    }
}
