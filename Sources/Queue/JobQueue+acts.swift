import Redis
package import Refunds

/// Who acts, and why: every act of a person is in the ledger with both.
package struct Act: Sendable, Hashable {
    package let by: String
    package let why: String

    package init(by: String, why: String) {
        self.by = by
        self.why = why
    }

    fileprivate var words: [RedisWord] { [RedisWord(by), RedisWord(why)] }
}

package enum Withdrawal: Sendable, Hashable {
    case withdrawn
    /// Its request may have arrived: only an outcome can end it.
    case open
    case missing
    /// It is past the states that can be taken back.
    case notWithdrawable(JobState)
}

package enum Redrive: Sendable, Hashable {
    case queued(ReferenceId)
    case missing
    case notDead(JobState)
    /// Its id is open: the same bytes can be sent again, other ones can't.
    case open(ReferenceId)
    case alreadyRequested(by: String)
}

/// What a person found out about a request whose outcome was unknown.
package enum Finding: String, Sendable, CaseIterable {
    case refunded, notRefunded
}

package enum Discard: String, Sendable {
    case discarded, missing, notDead
    /// Its id is open: it takes a finding.
    case open
}

/// What became of a pause.
package struct Pause: Sendable, Hashable {
    package enum Verdict: Sendable, Hashable {
        case paused, wasPaused
        /// Another worker has to see the same first; this one had better stand aside.
        case waitsForSecondWorker
    }

    package let verdict: Verdict
    package let number: Int

    package var isNew: Bool { verdict == .paused }
}

extension JobQueue {
    /// Takes jobs back that were not sent; they become dead letters that can be redriven.
    package func withdraw(
        _ ids: [String], act: Act, isDryRun: Bool = false
    ) async throws(QueueError) -> [(id: String, verdict: Withdrawal)] {
        let answer = try await run(.withdraw, act.words + [isDryRun ? "1" : "0"] + ids.map { RedisWord($0) })
        guard let verdicts = answer.strings, verdicts.count == ids.count else {
            throw QueueError("withdraw", app: app, unexpected: answer)
        }
        var results: [(id: String, verdict: Withdrawal)] = []
        for (id, verdict) in zip(ids, verdicts) {
            switch verdict {
            case "withdrawn": results.append((id, .withdrawn))
            case "open": results.append((id, .open))
            case "missing": results.append((id, .missing))
            default:
                guard let state = JobState(rawValue: verdict) else {
                    throw QueueError("withdraw", app: app, unexpected: answer)
                }
                results.append((id, .notWithdrawable(state)))
            }
        }
        return results
    }

    /// Puts a dead letter at the end of its lane. A mended job goes under a new id, which takes that no id is open.
    package func redrive(_ id: String, act: Act, mended: Job? = nil) async throws(QueueError) -> Redrive {
        let stored = try await read(["HMGET", RedisWord(keys.job(id)), "digest", "content", "round"]).array ?? []
        guard stored.count == 3, let digest = stored[1].digest ?? stored[0].digest else { return .missing }
        let round = (stored[2].integer ?? 0) + 1
        let content = mended?.contentDigest ?? digest
        let reference = ReferenceId.derived(
            app: app, environment: environment, jobId: id, contentDigest: content, round: Int(round))
        var words = [RedisWord(id)] + act.words + [RedisWord(reference.text), RedisWord(round)]
        if let mended { words += spec(of: mended) }
        let answer = try await run(.redrive, words)
        if let parts = answer.strings, parts.count == 2 {
            switch parts[0] {
            case "queued": if let reference = ReferenceId(parts[1]) { return .queued(reference) }
            case "missing": return .missing
            case "notDead": if let state = JobState(rawValue: parts[1]) { return .notDead(state) }
            case "open": if let reference = ReferenceId(parts[1]) { return .open(reference) }
            case "alreadyRequested": return .alreadyRequested(by: parts[1])
            // Another person's redrive, and another death, came between the two calls.
            case "changed": return try await redrive(id, act: act, mended: mended)
            default: break
            }
        }
        throw QueueError("redrive", app: app, unexpected: answer)
    }

    /// Closes a dead letter for good. One whose id is open takes a finding about what became of its request.
    package func discard(_ id: String, act: Act, finding: Finding?) async throws(QueueError) -> Discard {
        let answer = try await run(
            .discard,
            [RedisWord(id)] + act.words + [RedisWord(finding?.rawValue ?? ""), RedisWord(Self.retention.milliseconds)])
        guard let discard = answer.string.flatMap(Discard.init) else {
            throw QueueError("discard", app: app, unexpected: answer)
        }
        return discard
    }

    /// Stops the app until a person resumes it. `reason` is one word, the act's `why` the sentence.
    package func pause(reason: String, act: Act) async throws(QueueError) -> Pause {
        try pause(await run(.pause, [RedisWord(reason)] + act.words))
    }

    /// Stops the app because of an answer to `job`, which goes back to the front of its lane.
    package func pause(
        reason: String, act: Act, because job: LeasedJob, ending: SendEnding, next reference: ReferenceId?,
        seenBy worker: String? = nil, _ result: AttemptResult
    ) async throws(QueueError) -> Pause {
        try pause(
            await run(
                .pause,
                [RedisWord(reason)] + act.words + [
                    RedisWord(job.id), RedisWord(job.fence), RedisWord(reference?.text ?? ""),
                ] + result.words.dropFirst() + [RedisWord(ending.rawValue), RedisWord(worker ?? "")]))
    }

    private func pause(_ answer: RedisValue) throws(QueueError) -> Pause {
        guard let parts = answer.array, parts.count == 3, let code = parts[0].integer, let number = parts[1].integer
        else { throw QueueError("pause", app: app, unexpected: answer) }
        let verdict: Pause.Verdict = code == 1 ? .paused : code == 0 ? .wasPaused : .waitsForSecondWorker
        return Pause(verdict: verdict, number: Int(number))
    }

    /// Lets the app send again; false if it was not paused.
    package func resume(act: Act) async throws(QueueError) -> Bool {
        let answer = try await run(.resume, act.words)
        guard let wasPaused = answer.array?.first?.integer else {
            throw QueueError("resume", app: app, unexpected: answer)
        }
        return wasPaused == 1
    }

    /// The number of the app's last pause, 0 if there never was one. Letters that led to a pause bear its number.
    package func lastPause() async throws(QueueError) -> Int {
        Int(try await read(["HGET", RedisWord(keys.gate), "pauses"]).integer ?? 0)
    }
}
