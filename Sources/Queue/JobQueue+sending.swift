import Redis
package import Refunds

/// How a send ended, as far as its reference id is concerned.
package enum SendEnding: String, Sendable {
    /// No answer, or none that can be trusted: the id is open from now on.
    case unclear
    /// Apple answered.
    case answered
    /// Surely no byte left; neither the permit nor the attempt was used.
    case unsent
}

/// What an attempt came to, for the job's record and the ledger.
package struct AttemptResult: Sendable, Hashable {
    /// One word: accepted, rejected, timedOut, rateLimited, …
    package let result: String
    package let httpStatus: Int?
    package let errorCode: Int64?
    package let errorName: String?

    package init(_ result: String, httpStatus: Int? = nil, errorCode: Int64? = nil, errorName: String? = nil) {
        self.result = result
        self.httpStatus = httpStatus
        self.errorCode = errorCode
        self.errorName = errorName
    }

    var words: [RedisWord] {
        [
            RedisWord(result), RedisWord(httpStatus.map(String.init) ?? ""),
            RedisWord(errorCode.map(String.init) ?? ""),
            RedisWord(errorName ?? ""),
        ]
    }
}

/// What became of a move that a worker makes with a leased job.
package enum Moved: Sendable, Hashable {
    case to(JobState)
    /// The lease was lost meanwhile; nothing moved.
    case stale
    /// A new reference id was asked for while the present one is open; nothing moved.
    case refusedWhileOpen
}

/// A 200, and what Apple signed in it.
package struct Success: Sendable {
    let job: LeasedJob
    let httpStatus: Int
    let signedTransaction: String
    let signedRenewal: String

    /// - Parameter signedRenewal: of subscriptions only.
    package init(_ job: LeasedJob, httpStatus: Int, signedTransaction: String, signedRenewal: String?) {
        self.job = job
        self.httpStatus = httpStatus
        self.signedTransaction = signedTransaction
        self.signedRenewal = signedRenewal ?? ""
    }
}

/// What became of a 200.
package enum Settlement: String, Sendable {
    case accepted, done
    /// It was recorded before.
    case already
    /// It answers an id that the job no longer has; booked, nothing else.
    case foreign
}

extension JobQueue {
    /// Takes jobs, each with a permit, and raw entries to judge.
    ///
    /// - Parameters:
    ///   - slots: how many jobs the worker can send now.
    ///   - runId: of the server that this connection talks to; another one than the gate's means a server that forgot.
    ///   - isAlone: whether nothing else is under way in this process.
    ///   - absent: references that were `missing` before and still are: they become dead letters.
    ///   - expected: what Redis' clock should show (UNIX µs), by an earlier reading and this machine's steady clock. If it
    ///     shows much more it was set forward, and leases didn't run out, they only look so.
    ///   - sawStep: whether the clock was seen to be set forward since the last call: departures look older than they are.
    package func lease(
        worker: String, slots: Int, rate: GateRate, lease: Duration, requestTimeout: Duration, intake: Int = 64,
        runId: String, absent: [String] = [], isAlone: Bool = false, expected: Int64? = nil,
        sawStep: Bool = false
    ) async throws(QueueError) -> Lease {
        let answer = try await run(
            .lease,
            [
                RedisWord(worker), RedisWord(slots), RedisWord(lease.milliseconds),
                RedisWord(requestTimeout.milliseconds),
                RedisWord(rate.departuresPerWindow), RedisWord(rate.windowMicroseconds),
                RedisWord(rate.guardMicroseconds),
                RedisWord(intake), RedisWord(runId), RedisWord(JSON.array(absent.map(JSON.string)).text),
                isAlone ? "1" : "0", sawStep ? "stepped" : expected.map { RedisWord($0) } ?? "",
            ])
        guard let lease = Lease(answer) else { throw QueueError("lease", app: app, unexpected: answer) }
        return lease
    }

    /// Keeps the leases of jobs that are still being sent; the result names those that are lost.
    package func renew(worker: String, lease: Duration, holding jobs: [(id: String, fence: String)])
        async throws(QueueError) -> [String]
    {
        let held = jobs.flatMap { [RedisWord($0.id), RedisWord($0.fence)] }
        let answer = try await run(.renew, [RedisWord(worker), RedisWord(lease.milliseconds)] + held)
        guard let lost = answer.strings else { throw QueueError("renew", app: app, unexpected: answer) }
        return lost
    }

    /// Records 200s, whoever owns the jobs by now, each for itself: what is wrong with one keeps none of the others back.
    package func settle(_ successes: [Success]) async throws(QueueError) -> [Result<Settlement, QueueError>] {
        let signed = successes.map { success in
            (
                SignedText(success.signedTransaction, by: knownHeaders),
                SignedText(success.signedRenewal, by: knownHeaders)
            )
        }
        var words = [RedisWord(Self.retention.milliseconds), RedisWord(successes.count)]
        for (success, (transaction, renewal)) in zip(successes, signed) {
            words += [
                RedisWord(success.job.id), RedisWord(success.job.referenceId.text), RedisWord(success.httpStatus),
                RedisWord(transaction.stored), RedisWord(renewal.stored), RedisWord(success.job.departedMicroseconds),
            ]
        }
        var headers: [KnownHeaders.Header] = []
        for case let header? in signed.flatMap({ [$0.0.header, $0.1.header] })
        where !headers.contains(where: { $0.name == header.name }) {
            headers.append(header)
        }
        var answer = try await run(
            .settle, words + headers.flatMap { [RedisWord($0.name), RedisWord($0.isStored ? "" : $0.text)] })
        if answer.string == "headers" {
            answer = try await run(.settle, words + headers.flatMap { [RedisWord($0.name), RedisWord($0.text)] })
        }
        headers.forEach(knownHeaders.stored)
        guard let results = answer.array, results.count == successes.count else {
            throw QueueError("settle", app: app, unexpected: answer)
        }
        return results.map { result in
            if let settlement = result.string.flatMap(Settlement.init) { return .success(settlement) }
            guard let word = result.string, word.hasPrefix(Self.failed) else {
                return .failure(QueueError("settle", app: app, unexpected: result))
            }
            let error = RedisServerError(String(word.dropFirst(Self.failed.count)))
            return .failure(QueueError("settle", app: app, .server(error)))
        }
    }

    /// Before what Redis says of an answer that couldn't be recorded.
    private static let failed = "failed: "

    /// Records one 200.
    package func settle(
        _ job: LeasedJob, httpStatus: Int, signedTransaction: String, signedRenewal: String?
    ) async throws(QueueError) -> Settlement {
        let success = Success(
            job, httpStatus: httpStatus, signedTransaction: signedTransaction, signedRenewal: signedRenewal)
        guard let result = try await settle([success]).first else { preconditionFailure("one answer for each success") }
        return try result.get()
    }

    /// How long a job that is over is remembered: its id is idempotency, and forgetting one pays twice.
    package static let retention = Duration.seconds(400 * 86_400)

    /// Sends the job again later: under the same id, or under the next round's when the present one is closed.
    package func postpone(
        _ job: LeasedJob, for wait: Duration, ending: SendEnding, next reference: ReferenceId?, _ result: AttemptResult
    ) async throws(QueueError) -> Moved {
        try await move(
            .postpone, job,
            [RedisWord(wait.milliseconds), RedisWord(ending.rawValue), RedisWord(reference?.text ?? "")] + result.words)
    }

    /// Stops sending until an outcome is known. `state` is `held` or `unclear`.
    package func hold(
        _ job: LeasedJob, as state: JobState, ending: SendEnding, lookingAgainAfter wait: Duration, question: String,
        _ result: AttemptResult
    ) async throws(QueueError) -> Moved {
        try await move(
            .hold, job,
            [RedisWord(state.rawValue), RedisWord(ending.rawValue), RedisWord(wait.milliseconds)] + result.words
                + [RedisWord(question)])
    }

    /// Makes the job a dead letter.
    package func bury(
        _ job: LeasedJob, ending: SendEnding, reason: String, hint: String, _ result: AttemptResult
    ) async throws(QueueError) -> Moved {
        try await move(
            .bury, job, [RedisWord(ending.rawValue), RedisWord(reason)] + result.words + [RedisWord(hint)])
    }

    /// Hands unsent work back to the front of its lane, and its permit to the gate.
    package func release(_ job: LeasedJob, why: String) async throws(QueueError) -> Moved {
        try await move(.release, job, [RedisWord(why)])
    }

    /// Hands back what `lease` gave to this worker without the worker ever seeing it: the call's answer was lost.
    package func disown(worker: String, except known: Set<String>) async throws(QueueError) -> Int {
        let leased = try await read(["ZRANGE", RedisWord(keys.leases), "0", "-1"]).strings ?? []
        var released = 0
        for id in leased where !known.contains(id) {
            let held = try await read(["HMGET", RedisWord(keys.job(id)), "worker", "fence"]).array ?? []
            guard held.first?.string == worker, let fence = held.last?.string else { continue }
            let answer = try await run(.release, [RedisWord(id), RedisWord(fence), "the answer of lease was lost"])
            if answer.string != "stale" { released += 1 }
        }
        return released
    }

    /// Blocks the app and puts the job back; the later of two blocks wins.
    package func block(
        _ job: LeasedJob, for wait: Duration, ending: SendEnding, next reference: ReferenceId?, _ result: AttemptResult
    ) async throws(QueueError) -> Moved {
        let answer = try await run(
            .block,
            [
                RedisWord(job.id), RedisWord(job.fence), RedisWord(wait.milliseconds), RedisWord(reference?.text ?? ""),
            ] + result.words.dropFirst() + [RedisWord(ending.rawValue)])
        return try moved(.block, answer.array?.first ?? .null)
    }

    /// Takes over the jobs of a worker that died; the result is their number. `expected` is what Redis' clock should show,
    /// as in `lease`.
    package func reclaim(from worker: String, expected: Int64? = nil) async throws(QueueError) -> Int {
        var taken = 0
        while true {
            let answer = try await run(.reclaim, [RedisWord(worker), "64", expected.map { RedisWord($0) } ?? ""])
            guard let counts = answer.array?.compactMap(\.integer), counts.count == 2 else {
                throw QueueError("reclaim", app: app, unexpected: answer)
            }
            taken += Int(counts[0])
            if counts[1] == 0 { return taken }
        }
    }

    private func move(
        _ script: ScriptName, _ job: LeasedJob, _ arguments: [RedisWord]
    ) async throws(QueueError) -> Moved {
        try moved(script, await run(script, [RedisWord(job.id), RedisWord(job.fence)] + arguments))
    }

    private func moved(_ script: ScriptName, _ answer: RedisValue) throws(QueueError) -> Moved {
        switch answer.string {
        case "stale": return .stale
        case "open": return .refusedWhileOpen
        case let word?: if let state = JobState(rawValue: word) { return .to(state) }
        case nil: break
        }
        throw QueueError(script.rawValue, app: app, unexpected: answer)
    }
}

extension Duration {
    /// Whole milliseconds, rounded up.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
