import EventLoop
import Foundation
import Queue
import Redis
import Refunds
import TestSupport
import Testing

/// One app's queue on a real redis-server, under a clock that only the test moves.
struct QueueWorld {
    let redis: TestRedis
    let queue: JobQueue
    let rules: AppRules

    static let leaseTime = Duration.seconds(60)
    static let requestTimeout = Duration.seconds(30)
    static let agent = Act(by: "agent-17", why: "the customer called")

    init(
        _ redis: TestRedis, app: String = "audiobooks", environment: Environment = .production,
        scripts: QueueScripts = TestClock.scripts
    ) {
        self.redis = redis
        queue = JobQueue(app: app, environment: environment, redis: redis.client, scripts: scripts)
        rules = AppRules(name: app, environment: environment)
    }

    @discardableResult
    func send(_ words: RedisWord...) async throws -> RedisValue { try await redis.client.send(words) }

    // MARK: Time

    /// Redis' clock as the scripts see it, UNIX microseconds.
    var now: Int64 {
        get async throws { try await send("GET", RedisWord(TestClock.key)).integer ?? 0 }
    }

    func advance(_ time: Duration) async throws {
        let (seconds, attoseconds) = time.components
        try await send(
            "INCRBY", RedisWord(TestClock.key), RedisWord(seconds * 1_000_000 + attoseconds / 1_000_000_000_000))
    }

    func setClock(_ microseconds: Int64) async throws {
        try await send("SET", RedisWord(TestClock.key), RedisWord(microseconds))
    }

    /// The server's own, another one after each of its starts.
    func runId() async throws -> String {
        let lines = try await send("INFO", "server").string?.split(whereSeparator: \.isNewline) ?? []
        return try #require(lines.first { $0.hasPrefix("run_id:") }.map { String($0.dropFirst(7)) })
    }

    // MARK: Jobs

    /// A valid job; `more` is further members of the envelope, in JSON, each with a comma before it.
    func text(
        _ id: String?, transaction: String = "2000000123456789", skus: [String] = ["audiobook.4711"],
        operation: Refunds.Operation = .refund, requestInfo: String? = nil, _ more: String = ""
    ) -> String {
        let info = requestInfo.map { "\"requestInfo\":\($0)," } ?? ""
        let request =
            switch operation {
            case .refund:
                """
                {\(info)"items":[\(skus.map {
                    #"{"SKU":"\#($0)","refundReason":"LEGAL","refundType":"FULL","revoke":true}"#
                }.joined(separator: ","))],"refundRiskingPreference":false}
                """
            case .revoke:
                """
                {\(info)"refundReason":"LEGAL","refundType":"FULL","refundRiskingPreference":false,"storefront":"USA"}
                """
            case .cancel: "{\(info)\"storefront\":\"USA\"}"
            }
        let envelope = operation == .revoke ? #","endsWholeSubscription":true"# : ""
        let name = id.map { "\"id\":\"\($0)\"," } ?? ""
        return """
            {\(name)"app":"\(rules.name)","operation":"\(operation.rawValue)","transactionId":"\(transaction)",\
            "request":\(request)\(envelope)\(more)}
            """
    }

    func job(
        _ id: String?, transaction: String = "2000000123456789", skus: [String] = ["audiobook.4711"],
        operation: Refunds.Operation = .refund, priority: Priority = .normal, requestInfo: String? = nil,
        _ more: String = ""
    ) throws -> Job {
        try Job.validate(
            Array(
                text(
                    id, transaction: transaction, skus: skus, operation: operation, requestInfo: requestInfo,
                    #","priority":"\#(priority.rawValue)""# + more
                ).utf8),
            app: rules
        ).get()
    }

    /// Enqueues a job for a purchase of its own, unless a transaction is named.
    @discardableResult
    func enqueue(
        _ id: String, transaction: String? = nil, skus: [String] = ["audiobook.4711"],
        operation: Refunds.Operation = .refund, priority: Priority = .normal, requestInfo: String? = nil,
        _ more: String = ""
    ) async throws -> Entry {
        try await queue.enqueue(
            job(
                id, transaction: transaction ?? "T-" + id, skus: skus, operation: operation, priority: priority,
                requestInfo: requestInfo, more))
    }

    /// Adds a raw entry as any producer may.
    @discardableResult
    func produce(_ text: String, to lane: Priority = .normal, entry: String = "*") async throws -> String {
        try await send("XADD", RedisWord(queue.keys.lane(lane)), RedisWord(entry), "job", RedisWord(text)).string
            ?? ""
    }

    // MARK: Leases

    func lease(
        worker: String = "w1", slots: Int = 10, rate: GateRate = GateRate(), intake: Int = 64, runId: String = "run-1",
        absent: [String] = [], isAlone: Bool = true, expected: Int64? = nil, sawStep: Bool = false
    ) async throws -> Lease {
        try await queue.lease(
            worker: worker, slots: slots, rate: rate, lease: Self.leaseTime, requestTimeout: Self.requestTimeout,
            intake: intake, runId: runId, absent: absent, isAlone: isAlone, expected: expected, sawStep: sawStep)
    }

    /// Leases exactly one job, whichever it is.
    func leaseOne(worker: String = "w1", sourceLocation: SourceLocation = #_sourceLocation) async throws -> LeasedJob {
        let lease = try await lease(worker: worker, slots: 1)
        return try #require(lease.jobs.first, "nothing was leased", sourceLocation: sourceLocation)
    }

    /// Enqueues a job and leases it.
    func sending(
        _ id: String, transaction: String? = nil, skus: [String] = ["audiobook.4711"],
        operation: Refunds.Operation = .refund, priority: Priority = .normal, requestInfo: String? = nil,
        _ more: String = "",
        worker: String = "w1"
    ) async throws -> LeasedJob {
        #expect(
            try await enqueue(
                id, transaction: transaction, skus: skus, operation: operation, priority: priority,
                requestInfo: requestInfo, more
            ).isEnqueued)
        try await advance(.seconds(2))
        let job = try await leaseOne(worker: worker)
        #expect(job.id == id)
        return job
    }

    /// The reference id of a round.
    func reference(_ id: String, round: Int, digest: String) -> ReferenceId {
        .derived(app: queue.app, environment: queue.environment, jobId: id, contentDigest: digest, round: round)
    }

    func next(_ job: LeasedJob) -> ReferenceId {
        reference(job.id, round: job.round + 1, digest: job.contentDigest)
    }

    // MARK: Looking

    func census() async throws -> Census { try await Census(redis.client, base: queue.keys.base) }

    func fields(_ id: String) async throws -> [String: String] {
        (try await send("HGETALL", RedisWord(queue.keys.job(id))).fields ?? [:]).compactMapValues(\.string)
    }

    func state(_ id: String) async throws -> String? { try await fields(id)["state"] }

    func place(_ id: String) async throws -> [Census.Place] { try await census().places[id] ?? [] }

    func score(_ id: String, in set: String) async throws -> Int64? {
        try await send("ZSCORE", RedisWord(set), RedisWord(id)).string.flatMap { Double($0) }.map { Int64($0) }
    }

    /// The ledger's lines, oldest first, of one job or of all.
    func ledger(_ id: String? = nil, kind: String? = nil) async throws -> [[String: String]] {
        let entries = try await send("XRANGE", RedisWord(queue.keys.ledger), "-", "+").array ?? []
        return entries.compactMap { $0.array?.last?.fields?.compactMapValues(\.string) }
            .filter { (id == nil || $0["id"] == id) && (kind == nil || $0["kind"] == kind) }
    }

    func departures() async throws -> [Int64] {
        (try await send("LRANGE", RedisWord(queue.keys.departures), "0", "-1").array ?? []).compactMap(\.integer)
    }

    /// Everything in Redis, to prove that a refused move left no trace.
    func snapshot() async throws -> [String: String] {
        var all: [String: String] = [:]
        for key in try await send("KEYS", "*").strings ?? [] where key != TestClock.key {
            all[key] = try await send("DUMP", RedisWord(key)).bytes.map { "\($0)" }
        }
        return all
    }
}

extension Entry {
    var isEnqueued: Bool { if case .enqueued = self { true } else { false } }
}

extension AttemptResult {
    static let timedOut = AttemptResult("timedOut")
    static let rejected = AttemptResult(
        "rejected", httpStatus: 400, errorCode: 4_000_023, errorName: "InvalidRefundAmount")
    static let rateLimited = AttemptResult(
        "rateLimited", httpStatus: 429, errorCode: 4_290_000, errorName: "RateLimitExceeded")
    static let refused = AttemptResult("refused", httpStatus: 401)
    static let notConnected = AttemptResult("notConnected")
}

/// Gives a test an app of its own on a redis-server of its own. At the end the census must contradict no invariant.
func withQueue(
    environment: Environment = .production, configuration: [String] = [], scripts: QueueScripts = TestClock.scripts,
    sourceLocation: SourceLocation = #_sourceLocation, _ body: (QueueWorld) async throws -> Void
) async throws {
    try await withRedis(configuration: configuration) { redis in
        let world = QueueWorld(redis, environment: environment, scripts: scripts)
        try await world.setClock(TestClock.start)
        // A gate that no worker has asked before takes its window as full: here it is asked, and the window passes.
        _ = try await world.lease(slots: 0)
        try await world.advance(.seconds(3))
        try await world.send("DEL", RedisWord(world.queue.keys.departures))
        try await body(world)
        let contradictions = try await world.census().contradictions
        #expect(contradictions.isEmpty, sourceLocation: sourceLocation)
    }
}
