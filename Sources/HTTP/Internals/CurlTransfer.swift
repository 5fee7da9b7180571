import CCurl
import EventLoop

/// One easy handle with what its callbacks write to. Lives on the loop's thread.
final class CurlTransfer {
    let easy: UnsafeMutableRawPointer
    /// Over TLS, and so perhaps over HTTP/2.
    let isSecure: Bool
    private let mayDepart: () -> Bool
    private let finish: (HTTPOutcome, HTTPTimings) -> Void
    private let start = ContinuousClock.now
    /// libcurl writes its words here; the buffer has to outlive the handle's use.
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var fields: UnsafeMutablePointer<curl_slist>?
    private var course = Departure()
    private var departed: Duration?
    /// The connection that the request was let go on.
    private(set) var connection: ConnectionEnds?
    /// When the request was let go.
    var departure: ContinuousClock.Instant? { departed.map { start + $0 } }
    private var answer: AnswerCollector
    private var log = TransportLog()
    /// Told of a GOAWAY on its connection, with the last stream that it leaves standing.
    var onGoAway: ((UInt64) -> Void)?

    /// Nil when the request can't be put on a wire as it is.
    init?(
        _ request: HTTPRequest, options: HTTPClient.Options, mayDepart: @escaping () -> Bool,
        finish: @escaping (HTTPOutcome, HTTPTimings) -> Void
    ) {
        guard request.isSendable, let easy = curl_easy_init() else { return nil }
        self.easy = easy
        isSecure = request.url.lowercased().hasPrefix("https:")
        self.mayDepart = mayDepart
        self.finish = finish
        answer = AnswerCollector(maxBytes: options.maxAnswerBytes, isHead: request.method == "HEAD")
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        limit(options)
        secure(options)
        describe(request, options)
        listen()
        listenForRefusal()
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(fields)
        errorText.deallocate()
    }

    // MARK: Options

    private func limit(_ options: HTTPClient.Options) {
        set(CURLOPT_NOSIGNAL, 1)
        // Nothing that the environment or a server says may turn the request elsewhere.
        set(CURLOPT_PROXY, "")
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        set(CURLOPT_CONNECTTIMEOUT_MS, Int(clamping: options.connectTimeout.wholeMillisecondsRoundedUp))
        set(CURLOPT_TCP_KEEPALIVE, 1)
        // A connection that idled for longer is not trusted with a request; middle boxes forget without a word.
        set(CURLOPT_MAXAGE_CONN, 60)
        // Removing a transfer whose name is still being resolved would otherwise wait for the resolver's thread.
        set(CURLOPT_QUICK_EXIT, 1)
    }

    private func secure(_ options: HTTPClient.Options) {
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if let caFile = options.caFile { set(CURLOPT_CAINFO, caFile) }
    }

    private func describe(_ request: HTTPRequest, _ options: HTTPClient.Options) {
        set(CURLOPT_URL, request.url)
        // Transfers that start together share the one connection that is just being made. Over TLS only: there the
        // handshake tells whether it can be shared, on a plain connection they would wait for the first answer.
        set(CURLOPT_PIPEWAIT, isSecure ? 1 : 0)
        set(CURLOPT_PATH_AS_IS, 1)
        set(CURLOPT_USERAGENT, options.userAgent)
        switch request.method {
        case "HEAD": set(CURLOPT_NOBODY, 1)
        case "GET" where request.body.isEmpty: set(CURLOPT_HTTPGET, 1)
        case let method:
            set(CURLOPT_POST, 1)
            set(CURLOPT_CUSTOMREQUEST, method)
            kulanz_easy_set_off(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count))
            // Copied: libcurl may read it until the transfer ends. An empty array has no address, hence the fallback.
            request.body.withUnsafeBytes { bytes in
                let address = bytes.baseAddress ?? UnsafeRawPointer(errorText)
                kulanz_easy_set_pointer(
                    easy, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: address))
            }
        }
        for line in request.fieldLines { fields = curl_slist_append(fields, line) }
        kulanz_easy_set_list(easy, CURLOPT_HTTPHEADER, fields)
    }

    /// Unretained: `CurlMulti` keeps the transfer until its handle is removed, and a removed handle never calls back.
    private func listen() {
        let this = Unmanaged.passUnretained(self).toOpaque()
        kulanz_easy_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
        kulanz_easy_set_pointer(easy, CURLOPT_PREREQDATA, this)
        kulanz_easy_set_prerequest(easy) { this, remoteAddress, localAddress, remotePort, localPort in
            let connection = ConnectionEnds(
                remoteAddress: remoteAddress, localAddress: localAddress, remotePort: remotePort, localPort: localPort)
            let mayPass = CurlTransfer.from(this)?.prerequisite(connection) == true
            return mayPass ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
        kulanz_easy_set_pointer(easy, CURLOPT_HEADERDATA, this)
        kulanz_easy_set_data(easy, CURLOPT_HEADERFUNCTION) { bytes, _, count, this in
            let line = UnsafeRawBufferPointer(start: bytes, count: count)
            return CurlTransfer.from(this)?.answer.takeLine(line) == true ? count : 0
        }
        kulanz_easy_set_pointer(easy, CURLOPT_WRITEDATA, this)
        kulanz_easy_set_data(easy, CURLOPT_WRITEFUNCTION) { bytes, _, count, this in
            let piece = UnsafeRawBufferPointer(start: bytes, count: count)
            return CurlTransfer.from(this)?.answer.takeBody(piece) == true ? count : 0
        }
    }

    /// libcurl tells of a refused stream in its log alone, and there only if it doesn't first take the end for that of
    /// a kept-alive connection that had died; see docs/decisions/0033-a-refused-stream.md.
    private func listenForRefusal() {
        guard isSecure, Self.tellsOfRefusals else { return }
        // No transfer receives by RTSP's RECEIVE; libcurl never repeats such a one on account of a dead connection.
        set(CURLOPT_RTSP_REQUEST, Int(CURL_RTSPREQ_RECEIVE))
        kulanz_easy_set_pointer(easy, CURLOPT_DEBUGDATA, Unmanaged.passUnretained(self).toOpaque())
        kulanz_easy_set_debug(easy) { _, kind, bytes, count, this in
            // Headers pass by here, too; nothing is kept of any.
            guard kind == CURLINFO_TEXT, let bytes, let transfer = CurlTransfer.from(this) else { return 0 }
            switch transfer.log.read(UnsafeRawBufferPointer(start: bytes, count: count)) {
            case nil: break
            case .refused: transfer.declined()
            case .goAway(let last): transfer.onGoAway?(last)
            }
            return 0
        }
        set(CURLOPT_VERBOSE, 1)
    }

    private func declined() {
        if answer.isEmpty { course.declined() }
    }

    /// The server has said that it has done nothing with the streams above `last` of the transfer's connection.
    func leftBehind(above last: UInt64) {
        if let stream = log.stream, stream > last { declined() }
    }

    /// Much older ones know of one error for all streams of a connection, so that the refusal might be another's.
    private static let tellsOfRefusals = kulanz_curl_version() >= 0x07_58_00

    private static func from(_ pointer: UnsafeMutableRawPointer?) -> CurlTransfer? {
        pointer.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    private func set(_ option: CURLoption, _ value: Int) { kulanz_easy_set_long(easy, option, value) }
    private func set(_ option: CURLoption, _ value: String) { kulanz_easy_set_string(easy, option, value) }

    // MARK: The way out

    private func prerequisite(_ connection: ConnectionEnds?) -> Bool {
        let mayPass = course.prerequisite(mayDepart: mayDepart)
        if mayPass { (departed, self.connection) = (.now - start, connection) }
        return mayPass
    }

    // MARK: The end

    /// libcurl has ended the transfer; its handle is removed.
    func complete(_ code: CURLcode) {
        guard code == CURLE_OK else { return fail(failure(code)) }
        guard answer.isHeadWhole else {
            return fail(HTTPFailure(kind: .reset, message: "the connection ended within the answer's head"))
        }
        finish(.response(answer.response), timings)
    }

    /// We have ended the transfer; its handle is removed.
    func fail(_ failure: HTTPFailure) { finish(course.outcome(of: failure), timings) }

    private func failure(_ code: CURLcode) -> HTTPFailure {
        let words = String(cString: errorText)
        return HTTPFailure(
            kind: answer.isTooLarge ? .answerTooLarge : .init(code, isDeparted: course.state == .departed),
            curlCode: Int32(code.rawValue),
            message: words.isEmpty ? String(cString: curl_easy_strerror(code)) : words)
    }

    private var timings: HTTPTimings {
        var timings = HTTPTimings()
        var connections = 0
        kulanz_easy_get_long(easy, CURLINFO_NUM_CONNECTS, &connections)
        timings.madeConnection = connections > 0
        timings.connected = elapsed(CURLINFO_CONNECT_TIME_T)
        timings.secured = elapsed(CURLINFO_APPCONNECT_TIME_T)
        timings.departed = departed
        timings.firstByte = elapsed(CURLINFO_STARTTRANSFER_TIME_T)
        timings.total = .now - start
        return timings
    }

    private func elapsed(_ info: CURLINFO) -> Duration? {
        var microseconds: curl_off_t = 0
        kulanz_easy_get_off(easy, info, &microseconds)
        return microseconds > 0 ? .microseconds(Int64(microseconds)) : nil
    }
}

extension HTTPRequest {
    /// Whether libcurl would send exactly this: nothing in it ends a line or a C string early.
    fileprivate var isSendable: Bool {
        let isToken = !method.isEmpty && method.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        return isToken && url.isOneLine && headers.allSatisfy { !$0.0.isEmpty && $0.0.isOneLine && $0.1.isOneLine }
    }

    /// The fields in libcurl's spelling: `Name;` sends an empty value, `Name:` keeps libcurl from adding its own.
    fileprivate var fieldLines: [String] {
        let given = headers.map { name, value in value.isEmpty ? "\(name);" : "\(name): \(value)" }
        // A request that waits for "100 Continue" has half departed.
        let isTyped = headers.contains { $0.0.lowercased() == "content-type" }
        return given + ["Expect:"] + (isTyped ? [] : ["Content-Type:"])
    }
}

extension String {
    fileprivate var isOneLine: Bool { utf8.allSatisfy { $0 != 0 && $0 != 0x0A && $0 != 0x0D } }
}
