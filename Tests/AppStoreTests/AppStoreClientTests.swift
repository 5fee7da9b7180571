import AppStore
import Crypto
import EventLoop
import HTTP
import Refunds
import Synchronization
import Telemetry
import TestSupport
import Testing

@Suite struct `The App Store client` {
    let loop = TestLoop.shared
    let http = HTTPClient(loop: TestLoop.shared, options: .appStore(version: "1.2.3"))
    let key = SigningKey.generate()
    let body = Array(#"{"requestInfo":{"requestReferenceId":"1f0c2a52-6b0e-4b6e-9d55-3a2f6f1f9a01"},"x":"ü 😀"}"#.utf8)

    private func client(_ url: String) throws -> AppStoreClient {
        AppStoreClient(baseURL: try BaseURL(url), http: http)
    }

    private func send(
        _ operation: Operation = .refund, to url: String, transactionId: String = "2000000123456789",
        token: String = "token", mayDepart: @escaping @Sendable () -> Bool = { true }
    ) async throws -> AppStoreReply {
        try await client(url).send(
            operation, transactionId: transactionId, body: body, token: Secret(token), deadline: .seconds(20),
            mayDepart: mayDepart)
    }

    /// The reply to one scripted action.
    private func reply(to action: HTTPServerAction) async throws -> AppStoreReply {
        try await ScriptedServer.serving([action], on: loop) { try await send(to: $0.url) }
    }

    // MARK: What goes out

    @Test(arguments: [
        (Operation.refund, "/advancedCommerce/v1/transaction/requestRefund/2000000123456789"),
        (.revoke, "/advancedCommerce/v1/subscription/revoke/2000000123456789"),
        (.cancel, "/advancedCommerce/v1/subscription/cancel/2000000123456789"),
    ])
    func `posts to the endpoint of each operation`(operation: Operation, path: String) async throws {
        try await ScriptedServer.serving([.json(200, "{}")], on: loop) { server in
            _ = try await send(operation, to: server.url)
            let request = try #require(server.requests.first)
            #expect(request.method == "POST" && request.path == path && request.query == nil)
        }
    }

    @Test func `puts Apple's path behind the base URL's own`() async throws {
        try await ScriptedServer.serving([.json(200, "{}")], on: loop) { server in
            _ = try await send(.cancel, to: server.url + "/apple/", transactionId: "a_B-9")
            #expect(server.requests.first?.path == "/apple/advancedCommerce/v1/subscription/cancel/a_B-9")
        }
    }

    @Test func `sends the headers that Apple wants, each once, and the token as it is`() async throws {
        let credentials = try AppCredentials(
            bundleId: "com.example", issuerId: "issuer", keyId: "KEY", key: key, environment: .sandbox)
        let token = ProviderToken(credentials: credentials).token(nowSeconds: 1_796_036_400).reveal()
        try await ScriptedServer.serving([.json(200, "{}")], on: loop) { server in
            _ = try await send(to: server.url, token: token)
            let request = try #require(server.requests.first)
            #expect(request.values(of: "Content-Type") == ["application/json"])
            #expect(request.values(of: "Accept") == ["application/json"])
            #expect(request.values(of: "User-Agent") == ["kulanz/1.2.3"])
            #expect(request.values(of: "Content-Length") == ["\(body.count)"])
            #expect(request.values(of: "Expect") == [])
            let authorization = request.values(of: "Authorization")
            #expect(authorization == ["Bearer " + token])
            let arrived = try JWS(compact: String(try #require(authorization.first).dropFirst("Bearer ".count)))
            #expect(arrived.isSigned(by: key.publicKey))
        }
    }

    @Test func `sends the very same bytes each time`() async throws {
        let script: [HTTPServerAction] = [.cut, .respond(status: 503), .json(500, "{}"), .json(200, "{}")]
        try await ScriptedServer.serving(script, on: loop) { server in
            for _ in script { _ = try await send(to: server.url) }
            #expect(server.requests.map(\.body) == Array(repeating: body, count: script.count))
        }
    }

    @Test(arguments: ["", "../x", "a/b", "a%2fb", "1?x", "é", String(repeating: "1", count: 65), "1\r\nX: y"])
    func `never lets a foreign letter into the path`(transactionId: String) async throws {
        try await ScriptedServer.serving([], on: loop) { server in
            let reply = try await send(to: server.url, transactionId: transactionId)
            #expect(reply.isUnsent)
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `asks once before it writes, and sends nothing after a no`() async throws {
        try await ScriptedServer.serving([.json(200, "{}")], on: loop) { server in
            let asked = Mutex(0)
            let refused = try await send(to: server.url) {
                asked.withLock { $0 += 1 }
                return false
            }
            #expect(refused.isUnsent && refused.status == nil)
            #expect(asked.withLock { $0 } == 1)
            #expect(server.requests.isEmpty)
            #expect(try await send(to: server.url).status == 200)
        }
    }

    // MARK: What comes back

    @Test func `keeps both signed texts of a 200 unread`() async throws {
        let reply = try await reply(to: .json(200, #"{"signedTransactionInfo":"a.b.c","signedRenewalInfo":"d.e.f"}"#))
        #expect(reply.signedTransactionInfo == "a.b.c" && reply.signedRenewalInfo == "d.e.f")
        #expect(reply.status == 200 && reply.errorCode == nil && reply.isReadable200)
        #expect(reply.timings.total > .zero && reply.timings.firstByte != nil)
        let once = try await self.reply(to: .json(200, #"{"signedTransactionInfo":"a.b.c","new":[1]}"#))
        #expect(once.signedTransactionInfo == "a.b.c" && once.signedRenewalInfo == nil && once.isReadable200)
    }

    @Test(arguments: [
        "", "OK", "<html>", "{", "{}", "[]", "null", #"{"signedTransactionInfo":1}"#,
        #"{"signedTransactionInfo":null}"#,
        #"{"signedRenewalInfo":"d.e.f"}"#,
    ])
    func `tells a 200 that can't be read from one that can`(text: String) async throws {
        let reply = try await reply(to: .json(200, text))
        #expect(reply.status == 200 && !reply.isReadable200 && reply.signedTransactionInfo == nil)
    }

    @Test(arguments: [201, 202, 204, 206])
    func `takes no other 2xx for a 200`(status: Int) async throws {
        let text = status == 204 ? "" : #"{"signedTransactionInfo":"a.b.c"}"#
        let reply = try await reply(to: .json(status, text))
        #expect(reply.status == status && !reply.isReadable200 && reply.signedTransactionInfo == nil)
    }

    @Test(
        arguments: [
            (400, #"{"errorCode":4000181,"errorMessage":"The transaction has pending refunds."}"#, 4_000_181),
            (403, #"{"errorCode":4030020,"errorMessage":"x"}"#, 4_030_020), (404, #"{"errorCode":4040010}"#, 4_040_010),
            (500, #"{"errorCode":5000001}"#, 5_000_001),
            (400, #"{"errorCode":9007199254740993}"#, 9_007_199_254_740_993),
            (400, #"{"errorCode":"4000181"}"#, nil), (400, #"[{"errorCode":4000181}]"#, nil), (400, "4000181", nil),
            (400, #"{"errorCode":4000181"#, nil), (401, "Unauthenticated\n\nRequest ID: ABC.DEF", nil),
            (503, "<html><body>errorCode: 5030000</body></html>", nil), (502, "", nil),
        ] as [(Int, String, Int64?)])
    func `reads Apple's code from a JSON object only`(status: Int, text: String, code: Int64?) async throws {
        let reply = try await reply(to: .json(status, text))
        #expect(reply.status == status && reply.errorCode == code)
        #expect(!reply.isReadable200 && reply.signedTransactionInfo == nil)
        #expect((reply.errorMessage != nil) == text.contains("errorMessage"))
    }

    @Test func `hands on every Retry-After and Apple's date`() async throws {
        let headers = [
            (name: "Retry-After", value: "1796040000000"), (name: "retry-after", value: "30"),
            (name: "Date", value: "Mon, 30 Nov 2026 02:00:00 GMT"),
        ]
        let reply = try await reply(to: .json(429, #"{"errorCode":4290000}"#, headers))
        #expect(reply.status == 429 && reply.errorCode == 4_290_000)
        #expect(reply.retryAfter == ["1796040000000", "30"])
        #expect(reply.date == "Mon, 30 Nov 2026 02:00:00 GMT")
        #expect(try await self.reply(to: .json(429, "{}")).retryAfter == [])
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `doesn't follow a redirect`(status: Int) async throws {
        try await ScriptedServer.serving([], on: loop) { target in
            let location = [(name: "Location", value: target.url + "/elsewhere")]
            let reply = try await reply(to: .respond(status: status, headers: location))
            #expect(reply.status == status)
            #expect(target.requests.isEmpty)
        }
    }

    @Test func `calls a cut after the request unclear, and a refused connection unsent`() async throws {
        let cut = try await reply(to: .cut)
        #expect(cut.isUnclear && cut.status == nil)
        // A port that was just given up: nobody listens there.
        let url = try await ScriptedServer.serving([], on: loop) { $0.url }
        let refused = try await send(to: url)
        #expect(refused.isUnsent && refused.status == nil && refused.errorCode == nil)
    }

    @Test func `ends a request that is never answered at its deadline, unclear`() async throws {
        try await ScriptedServer.serving([.hang], on: loop) { server in
            let reply = try await client(server.url).send(
                .refund, transactionId: "1", body: body, token: Secret("t"), deadline: .seconds(2)
            ) { true }
            #expect(reply.isUnclear)
            #expect(server.requests.count == 1)
        }
    }

    @Test func `never shows the token in a reply`() async throws {
        let url = try await ScriptedServer.serving([], on: loop) { $0.url }
        for reply in [try await send(to: url, token: "eyJsecret"), try await reply(to: .cut)] {
            var dumped = ""
            dump(reply, to: &dumped)
            #expect(!dumped.contains("eyJsecret") && !dumped.contains("Bearer"))
        }
    }

    @Test func `warms a plain connection without a request`() async throws {
        try await ScriptedServer.serving([.json(200, "{}")], on: loop) { server in
            try await client(server.url).warm()
            #expect(server.requests.isEmpty)
            #expect(try await send(to: server.url).status == 200)
        }
    }
}

extension AppStoreReply {
    fileprivate var isUnsent: Bool { if case .unsent = answer { true } else { false } }

    fileprivate var isUnclear: Bool { if case .unclear = answer { true } else { false } }

    fileprivate var date: String? { if case .response(_, _, _, let date, _) = answer { date } else { nil } }

    fileprivate var isReadable200: Bool {
        if case .response(_, _, _, _, let isReadable200) = answer { isReadable200 } else { false }
    }

    fileprivate var retryAfter: [String] {
        if case .response(_, _, let retryAfter, _, _) = answer { retryAfter } else { [] }
    }
}
