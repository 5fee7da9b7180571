import CMicroHTTPD
import EventLoop
import Foundation

/// libmicrohttpd's daemon without a thread of its own: the loop watches its epoll descriptor and lets it run.
/// Everything here happens on the loop's thread.
// @unchecked: made by the server's actor and touched on its thread, the loop's, only.
final class MicroHTTPD: @unchecked Sendable {
    private let loop: EventLoop
    private let maxBodyBytes: Int
    private let beforeBody: @Sendable (HTTPServerRequest) -> HTTPServerAction?
    /// The request `id` is whole; somebody calls `decide` for it later.
    private let ask: (_ id: UInt64, HTTPServerRequest) -> Void
    /// PEM, for the daemon to read as long as it lives.
    private var secrets: (key: UnsafeMutablePointer<CChar>, certificate: UnsafeMutablePointer<CChar>)?
    private var daemon: OpaquePointer?
    private var isStopping = false
    private var watch: DescriptorWatch?
    private var timer: LoopTimer?
    private var requests: [UInt64: ServerExchange] = [:]
    private var lastRequest: UInt64 = 0
    private var lastConnection: UInt64 = 0

    init(
        loop: EventLoop, maxBodyBytes: Int, beforeBody: @escaping @Sendable (HTTPServerRequest) -> HTTPServerAction?,
        ask: @escaping (UInt64, HTTPServerRequest) -> Void
    ) {
        self.loop = loop
        self.maxBodyBytes = maxBodyBytes
        self.beforeBody = beforeBody
        self.ask = ask
    }

    // MARK: Start and stop

    /// Listens; returns the port.
    func start(host: String, port: UInt16, as identity: TLSIdentity?) throws(HTTPServerError) -> UInt16 {
        guard identity == nil || MHD_is_feature_supported(.FEATURE_TLS) == .YES else { throw .cannotSecure }
        guard let found = addresses(host, port) else { throw .unknownHost(host) }
        defer { freeaddrinfo(found) }
        let usesEpoll = MHD_is_feature_supported(.FEATURE_EPOLL) == .YES
        var flags = MHD_ALLOW_SUSPEND_RESUME.rawValue
        if usesEpoll { flags |= MHD_USE_EPOLL.rawValue }
        if found.pointee.ai_family == AF_INET6 { flags |= MHD_USE_IPv6.rawValue }
        if let identity {
            flags |= MHD_USE_TLS.rawValue
            secrets = (strdup(identity.keyPEM), strdup(identity.certificatePEM))
        }
        errno = 0
        daemon = kulanz_mhd_start(
            flags, found.pointee.ai_addr, Unmanaged.passUnretained(self).toOpaque(), Self.access, Self.opened,
            Self.completed, Self.connection, 10_000, 64 << 10, secrets?.key, secrets?.certificate)
        guard let daemon else {
            let code = errno
            forgetSecrets()
            throw .cannotListen(host: host, port: port, errno: code)
        }
        if usesEpoll {
            watch = loop.watch(kulanz_mhd_epoll_descriptor(daemon), for: .readable) { [weak self] _ in self?.turn() }
        } else {
            // Without epoll (macOS) libmicrohttpd offers no one descriptor to wait for; it is asked often instead.
            timer = loop.every(.milliseconds(2)) { [weak self] in self?.turn() }
        }
        return kulanz_mhd_port(daemon)
    }

    private func addresses(_ host: String, _ port: UInt16) -> UnsafeMutablePointer<addrinfo>? {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        #if os(Linux)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0 else { return nil }
        return found
    }

    /// Takes no new connection from here on; those that are open go on.
    func quiesce() {
        guard let daemon else { return }
        let listener = MHD_quiesce_daemon(daemon)
        if listener >= 0 { close(listener) }
    }

    /// Cuts what is unanswered and closes every connection.
    func stop() {
        guard let daemon else { return }
        // libmicrohttpd aborts the process if it is stopped while a connection sleeps. The last run may still read
        // requests; from here on none is put to sleep.
        isStopping = true
        for id in requests.keys { wake(id, .cut) }
        MHD_run(daemon)
        (watch, timer) = (nil, nil)
        self.daemon = nil
        MHD_stop_daemon(daemon)
        requests = [:]
        forgetSecrets()
    }

    private func forgetSecrets() {
        guard let secrets else { return }
        self.secrets = nil
        memset(secrets.key, 0, strlen(secrets.key))
        free(secrets.key)
        free(secrets.certificate)
    }

    // MARK: Turning

    private func turn() {
        guard let daemon else { return }
        MHD_run(daemon)
        guard watch != nil else { return }
        var milliseconds: UInt64 = 0
        timer = nil
        guard MHD_get_timeout(daemon, &milliseconds) == .YES else { return }
        timer = loop.after(.milliseconds(Int64(clamping: milliseconds))) { [weak self] in self?.turn() }
    }

    /// What becomes of a request that was asked about. A request that is gone is passed over.
    func decide(_ id: UInt64, _ action: HTTPServerAction) {
        wake(id, action)
        turn()
    }

    private func wake(_ id: UInt64, _ action: HTTPServerAction) {
        guard let exchange = requests[id] else { return }
        if exchange.course.decide(action) {
            exchange.absence = nil
            MHD_resume_connection(exchange.connection)
        } else if exchange.course.isHanging {
            awaitAbsence(exchange)
        }
    }

    /// libmicrohttpd doesn't look at a sleeping connection, so the end of a hanging one is watched for here.
    private func awaitAbsence(_ exchange: ServerExchange) {
        let id = exchange.id
        exchange.absence = loop.watch(kulanz_mhd_descriptor(exchange.connection), for: .hungUp) { [weak self] _ in
            self?.decide(id, .cut)
        }
    }

    // MARK: Callbacks of libmicrohttpd, all from within `MHD_run` or `MHD_stop_daemon`

    private static func from(_ pointer: UnsafeMutableRawPointer?) -> MicroHTTPD? {
        pointer.map { Unmanaged<MicroHTTPD>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let connection: MHD_NotifyConnectionCallback = { this, _, context, code in
        guard code == .CONNECTION_NOTIFY_STARTED, let this = from(this) else { return }
        this.lastConnection += 1
        context?.pointee = UnsafeMutableRawPointer(bitPattern: UInt(this.lastConnection))
    }

    /// The request line was read. What is returned here is the request's own pointer in the other callbacks.
    private static let opened:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer? = {
            this, target, connection in
            guard let this = from(this), let target, let connection else { return nil }
            this.lastRequest += 1
            let exchange = ServerExchange(
                id: this.lastRequest, connection: connection, target: String(cString: target),
                course: RequestCourse(maxBodyBytes: this.maxBodyBytes))
            this.requests[exchange.id] = exchange
            // Retained by `requests` until `completed`.
            return Unmanaged.passUnretained(exchange).toOpaque()
        }

    private static let completed: MHD_RequestCompletedCallback = { this, _, request, _ in
        guard let this = from(this), let pointer = request?.pointee else { return }
        let exchange = Unmanaged<ServerExchange>.fromOpaque(pointer).takeUnretainedValue()
        request?.pointee = nil
        exchange.absence = nil
        this.requests[exchange.id] = nil
    }

    private static let access: MHD_AccessHandlerCallback = { this, connection, _, method, _, bytes, count, request in
        guard let this = from(this), let connection, let method, let count, let pointer = request?.pointee
        else { return .NO }
        guard !this.isStopping else { return .NO }
        let exchange = Unmanaged<ServerExchange>.fromOpaque(pointer).takeUnretainedValue()
        if exchange.course.isNew { return this.perform(this.takeHead(exchange, method), exchange) }
        guard count.pointee == 0 else {
            let piece = UnsafeRawBufferPointer(start: bytes, count: count.pointee)
            count.pointee = 0
            let step = exchange.course.bodyArrived(piece.count)
            if case .read = step { exchange.body.append(contentsOf: piece) }
            return this.perform(step, exchange)
        }
        return this.perform(exchange.course.proceed(), exchange)
    }

    private func takeHead(_ exchange: ServerExchange, _ method: UnsafePointer<CChar>) -> RequestCourse.Step {
        let head = exchange.readHead(method: String(cString: method))
        return exchange.course.headArrived(
            contentLength: head.values(of: "content-length").first.flatMap { Int($0) }, early: beforeBody(head))
    }

    private func perform(_ step: RequestCourse.Step, _ exchange: ServerExchange) -> MHD_Result {
        switch step {
        case .read: return .YES
        case .cut: return .NO
        case .answer(let status, let headers, let body):
            return exchange.answer(status: status, headers: headers, body: body)
        case .sleep:
            MHD_suspend_connection(exchange.connection)
            awaitAbsence(exchange)
            return .YES
        case .ask:
            guard let request = exchange.wholeRequest() else { return .NO }
            MHD_suspend_connection(exchange.connection)
            ask(exchange.id, request)
            return .YES
        }
    }
}
