import Redis
package import Refunds

extension JobQueue {
    /// Redis' clock, UNIX microseconds.
    package func now() async throws(QueueError) -> Int64 {
        let answer = try await read(["TIME"])
        guard let parts = answer.array?.compactMap(\.integer), parts.count == 2 else {
            throw QueueError("read", app: app, unexpected: answer)
        }
        return parts[0] * 1_000_000 + parts[1]
    }

    /// Left out of the record, as parts/jobs.lua has it.
    private static let usualOperation = Operation.refund
    private static let usualLane = Priority.normal

    /// All that is known of a job; nil if this app has none of that id, or only a letter that never became one.
    package func show(_ id: String) async throws(QueueError) -> JobRecord? {
        let fields = try await read(["HGETALL", RedisWord(keys.job(id))]).fields ?? [:]
        func text(_ name: String) -> String? { fields[name]?.string }
        guard let state = text("state").flatMap(JobState.init),
            let operation = Operation(rawValue: text("operation") ?? Self.usualOperation.rawValue),
            let transaction = text("transaction"),
            let lane = Priority(rawValue: text("lane") ?? Self.usualLane.rawValue),
            let reference = text("ref").flatMap({ ReferenceId($0) }), let at = fields["at"]?.integer
        else { return nil }
        var attempts = (text("log") ?? "").split(separator: "\n").compactMap { Attempt(line: $0) }
        if state == .sending, let departed = fields["departed"]?.integer {
            attempts.append(
                Attempt(
                    underWay: Int(fields["started"]?.integer ?? 1), referenceId: reference.text,
                    startedAt: departed / 1000))
        }
        var job: Job?
        if let body = fields["body"]?.bytes {
            let particulars = Job.Particulars(
                id: id, app: app, operation: operation, transactionId: transaction, priority: lane,
                requestedBy: text("by"))
            job = try? Job(particulars, envelope: text("envelope") ?? "", body: body)
        }
        let due = try await read(["ZSCORE", RedisWord(keys.later), RedisWord(id)]).string.flatMap { Double($0) }
        return JobRecord(
            id: id, app: app, state: state, operation: operation, transactionId: transaction, priority: lane,
            referenceId: reference, round: Int(fields["round"]?.integer ?? 0), enqueuedAt: at / 1000,
            dueAt: due.map { Int64($0 / 1000) }, attempts: attempts, job: job, waitsFor: text("waitsFor"),
            openQuestion: state == .held || state == .unclear ? text("question") : nil,
            isOpen: (fields["unclear"]?.integer ?? 0) > 0, worker: state == .sending ? text("worker") : nil,
            finding: text("finding"))
    }

    /// What Apple signed in its 200, whole: the transaction, and of a subscription its renewal. Nothing in it was verified.
    package func signed(_ id: String) async throws(QueueError) -> (transaction: String?, renewal: String?) {
        let stored =
            try await read(
                ["HMGET", RedisWord(keys.job(id)), "signedTransaction", "signedRenewal"]).array ?? []
        func whole(_ index: Int) async throws(QueueError) -> String? {
            guard stored.indices.contains(index), let text = stored[index].string else { return nil }
            return try await SignedText.whole(text) { name throws(QueueError) in
                try await read(["HGET", RedisWord(keys.headers), RedisWord(name)]).string
            }
        }
        return (try await whole(0), try await whole(1))
    }

    /// The ids of the jobs that concern a transaction or the purchase it belongs to.
    package func jobs(ofTransaction transaction: String) async throws(QueueError) -> [String] {
        let fields = try await read(["HKEYS", RedisWord(keys.purchase(transaction))]).strings ?? []
        return fields.filter { $0.hasPrefix("job:") }.map { String($0.dropFirst(4)) }.sorted()
    }

    /// The ids of jobs in a state, oldest first, from the places where such jobs are; never from a scan.
    package func jobs(in state: JobState, limit: Int) async throws(QueueError) -> [String] {
        let candidates: [String] =
            switch state {
            case .queued: try await waitingIds(limit: limit)
            case .waiting: try await members(of: keys.later) + readyIds()
            case .unclear: try await members(of: keys.later) + members(of: keys.followups) + readyIds()
            case .sending: try await members(of: keys.leases)
            case .held, .accepted: try await members(of: keys.followups)
            case .dead: try await deadLetters(limit: limit).filter(\.isOfJob).map(\.id)
            case .refunded, .declined, .noOutcome, .done, .discarded, .reversed: try await bookedIds(since: 0)
            }
        var found: [String] = []
        for id in candidates where !found.contains(id) {
            if found.count == limit { break }
            if try await self.state(of: id) == state { found.append(id) }
        }
        return found
    }

    /// The ids of jobs that were enqueued or that anything happened to since a time (UNIX ms).
    package func jobs(since start: Int64, limit: Int) async throws(QueueError) -> [String] {
        var ids: [String] = []
        var seen: Set<String> = []
        for id in try await bookedIds(since: start) + waitingIds(limit: limit) + members(of: keys.later) {
            guard seen.insert(id).inserted, ids.count < limit else { continue }
            let known = try await read(["HMGET", RedisWord(keys.job(id)), "at", "transaction"]).array ?? []
            guard known.count == 2, !known[1].isNull else { continue }
            ids.append(id)
        }
        return ids
    }

    package func state(of id: String) async throws(QueueError) -> JobState? {
        try await read(["HGET", RedisWord(keys.job(id)), "state"]).string.flatMap(JobState.init)
    }

    private func waitingIds(limit: Int) async throws(QueueError) -> [String] {
        var ids = try await readyIds()
        for lane in Priority.allCases {
            let entries = try await read(["XRANGE", RedisWord(keys.lane(lane)), "-", "+", "COUNT", RedisWord(limit)])
            ids += (entries.array ?? []).compactMap { entry in entry.array?.last?.fields?["id"]?.string }
        }
        return try await ids + members(of: keys.allFollowers) + members(of: keys.later)
    }

    private func readyIds() async throws(QueueError) -> [String] {
        var ids: [String] = []
        for lane in Priority.allCases { ids += try await members(of: keys.ready(lane)) }
        return ids
    }

    private func members(of set: String) async throws(QueueError) -> [String] {
        try await read(["ZRANGE", RedisWord(set), "0", "-1"]).strings ?? []
    }

    private func bookedIds(since start: Int64) async throws(QueueError) -> [String] {
        var ids: [String] = []
        var seen: Set<String> = []
        var from = String(start)
        while true {
            let page =
                try await read(["XRANGE", RedisWord(keys.ledger), RedisWord(from), "+", "COUNT", "1000"]).array ?? []
            for entry in page {
                guard let id = entry.array?.last?.fields?["id"]?.string, !id.isEmpty else { continue }
                if seen.insert(id).inserted { ids.append(id) }
            }
            guard page.count == 1000, let last = page.last?.array?.first?.string else { return ids }
            from = "(" + last
        }
    }

    /// The ledger's lines about one job since it was enqueued, oldest first.
    package func ledger(of id: String, since start: Int64) async throws(QueueError) -> [[String: String]] {
        var lines: [[String: String]] = []
        var from = String(start)
        while true {
            let page =
                try await read(["XRANGE", RedisWord(keys.ledger), RedisWord(from), "+", "COUNT", "1000"]).array ?? []
            for entry in page {
                guard let fields = entry.array?.last?.fields, fields["id"]?.string == id else { continue }
                lines.append(fields.compactMapValues(\.string))
            }
            guard page.count == 1000, let last = page.last?.array?.first?.string else { return lines }
            from = "(" + last
        }
    }

    // MARK: Dead letters

    /// Dead letters, oldest first, from a time (UNIX ms) on.
    package func deadLetters(since start: Int64 = 0, limit: Int = .max) async throws(QueueError) -> [DeadLetter] {
        var letters: [DeadLetter] = []
        var from = String(start)
        while letters.count < limit {
            let count = min(1000, limit - letters.count)
            let answer = try await read(
                ["XRANGE", RedisWord(keys.dead), RedisWord(from), "+", "COUNT", RedisWord(count)])
            let page = answer.array ?? []
            letters += page.compactMap { DeadLetter(app: app, entry: $0) }
            guard page.count == count, let last = page.last?.array?.first?.string else { break }
            from = "(" + last
        }
        return letters
    }

    package func deadLetter(_ id: String) async throws(QueueError) -> DeadLetter? {
        guard let entry = try await read(["HGET", RedisWord(keys.job(id)), "dead"]).string else { return nil }
        let answer = try await read(["XRANGE", RedisWord(keys.dead), RedisWord(entry), RedisWord(entry)])
        return answer.array?.first.flatMap { DeadLetter(app: app, entry: $0) }
    }

    // MARK: The app

    package func overview() async throws(QueueError) -> AppOverview {
        let answer = try await run(.overview, [])
        guard let parts = answer.array, parts.count == 18, let now = parts[0].integer else {
            throw QueueError("overview", app: app, unexpected: answer)
        }
        func count(_ index: Int) -> Int { Int(parts[index].integer ?? 0) }
        func text(_ index: Int) -> String { parts[index].string ?? "" }
        var lanes: [Priority: Int] = [:]
        for (index, lane) in Priority.allCases.enumerated() { lanes[lane] = count(1 + index) }
        return AppOverview(
            app: app, environment: environment, lanes: lanes, inFlight: count(4), later: count(5), followers: count(6),
            held: count(7), dead: count(8), oldestAgeMilliseconds: parts[9].integer.map { max(0, (now - $0) / 1000) },
            departuresInLastSecond: count(10),
            blockedUntil: parts[11].integer.flatMap { $0 > now ? $0 / 1000 : nil },
            nextProbe: parts[12].integer.map { $0 / 1000 },
            paused: text(13).isEmpty
                ? nil : (reason: text(13), since: parts[14].integer ?? 0, by: text(15), why: text(16)),
            untoldAlarms: count(17))
    }
}
