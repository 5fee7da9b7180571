import AppStore
import Queue
import Refunds
import Telemetry

/// One leased job on its way through one send: sent, answered, judged, moved.
struct JobRun {
    let app: FleetApp
    let job: LeasedJob
    let permit: Permit
    let token: Secret<String>
    /// Whether a token younger than the last 401 was refused too: then it isn't the token.
    let freshTokenWasRefused: Bool
    let requestTimeout: Duration
    /// This worker's name if others live that can see whether a 401 is its own fault.
    let secondOpinionFor: String?
    let settlements: Settlements

    /// Sends, at most once on the wire.
    func send() async -> AppStoreReply {
        await app.store.send(
            job.operation, transactionId: job.transactionId, body: job.body, token: token, deadline: requestTimeout
        ) { [permit] in permit.isValid }
    }

    func judge(_ reply: AppStoreReply, nowMs: Int64) -> Verdict {
        let random = Double.random(in: 0..<1)
        return disposition(
            of: reply.answer, operation: job.operation, idIsOpen: job.isOpen,
            freshTokenWasRefused: freshTokenWasRefused,
            delayMs: app.retry.delay(attempt: job.attempts, random: random), nowMs: nowMs, random: random)
    }

    /// The id of the round that would follow, for moves that close this one.
    private var next: ReferenceId {
        .derived(
            app: app.name, environment: app.rules.environment, jobId: job.id, contentDigest: job.contentDigest,
            round: job.round + 1)
    }

    /// Records what an answer means. Every branch is one move.
    func record(_ reply: AppStoreReply, _ verdict: Verdict, nowMs: Int64) async throws(QueueError) -> Recorded {
        let result = reply.attemptResult(naming: verdict)
        let ending = reply.ending(opening: verdict.leavesIdOpen && !job.isOpen)
        switch verdict.disposition {
        case .accepted:
            let success = Success(
                job, httpStatus: reply.status ?? 200, signedTransaction: reply.signedTransactionInfo ?? "",
                signedRenewal: reply.signedRenewalInfo)
            return .settled(try await settlements.settle(success))
        case .retrySame(let wait):
            return try await again(after: wait, ending: ending, next: nil, result, nowMs: nowMs)
        case .retryNew(let wait):
            return try await again(after: wait, ending: ending, next: next, result, nowMs: nowMs)
        case .refreshToken(let sameId):
            let moved = try await app.queue.postpone(
                job, for: .zero, ending: ending, next: sameId ? nil : next, result)
            return .moved(moved)
        case .block(let wait, let sameId):
            return .moved(
                try await app.queue.block(
                    job, for: .milliseconds(wait), ending: ending, next: sameId ? nil : next, result))
        case .pauseApp(let reason, let sameId):
            let act = Act(by: "fleet", why: "\(reply.summary); \(reason.hint)")
            let pause = try await app.queue.pause(
                reason: reason.rawValue, act: act, because: job, ending: ending, next: sameId ? nil : next,
                seenBy: reason == .unauthorized ? secondOpinionFor : nil, result)
            return .paused(pause)
        case .hold:
            let moved = try await app.queue.hold(
                job, as: .held, ending: ending, lookingAgainAfter: app.holdFor,
                question: "Apple has an open refund for this transaction; its outcome decides", result)
            return .moved(moved)
        case .reconcile(let reason):
            let moved = try await app.queue.hold(
                job, as: .unclear, ending: ending, lookingAgainAfter: .seconds(3600), question: reason.question, result)
            return .moved(moved)
        case .bury(let reason, let hint):
            return .moved(
                try await app.queue.bury(job, ending: ending, reason: reason.rawValue, hint: hint, result))
        }
    }

    private func again(
        after wait: Int64, ending: SendEnding, next: ReferenceId?, _ result: AttemptResult, nowMs: Int64
    ) async throws(QueueError) -> Recorded {
        guard
            case .giveUp(let why) = app.retry.verdict(
                attempts: job.attempts, firstSentAt: job.firstSentAt, now: nowMs)
        else {
            let moved = try await app.queue.postpone(
                job, for: .milliseconds(wait), ending: ending, next: next, result)
            return .moved(moved)
        }
        let isOpen = job.isOpen || ending == .unclear
        let reason: DeadReason = isOpen ? .outcomeUnknown : .attemptsUsed
        let age = why == .tooOld ? "tried for \(app.retry.giveUpAfterHours) h" : "tried \(job.attempts) times"
        return .moved(
            try await app.queue.bury(
                job, ending: ending, reason: reason.rawValue, hint: "\(reason.meaning) (\(age)): \(reason.hint)", result
            )
        )
    }

    enum Recorded {
        case settled(Settlement)
        case moved(Moved)
        case paused(Pause)
    }
}

extension AppStoreReply {
    /// How the send ended for its reference id; `opening`: the verdict leaves it open, and it was not before.
    func ending(opening: Bool) -> SendEnding {
        switch answer {
        case .unsent: .unsent
        case .unclear: .unclear
        case .response: opening ? .unclear : .answered
        }
    }

    /// The result's one word, with Apple's code and its name.
    func attemptResult(naming verdict: Verdict) -> AttemptResult {
        switch answer {
        case .unsent: return AttemptResult("unsent")
        case .unclear: return AttemptResult("unclear")
        case .response(let status, let code, _, _, let isReadable):
            let word =
                switch status {
                case 200: isReadable ? "accepted" : "unreadable"
                case 429: "rateLimited"
                case 401: "unauthorized"
                case 408, 500...: "unclear"
                default: "rejected"
                }
            return AttemptResult(word, httpStatus: status, errorCode: code, errorName: verdict.error?.name)
        }
    }

    /// For logs and alarms: what came, without a word of anybody's data.
    var summary: String {
        switch answer {
        case .unsent(let reason): "nothing was sent: \(reason)"
        case .unclear(let reason): "no answer that can be trusted: \(reason)"
        case .response(let status, let code, _, _, _):
            "Apple answered \(status)" + (code.map { " with code \($0)" } ?? "")
        }
    }
}

extension ReconcileReason {
    /// The open question, for a person.
    var question: String {
        switch self {
        case .unreadableSuccess:
            "Apple answered with success, but the answer could not be read; was the refund accepted?"
        case .repeatedReferenceId: "Apple has seen this requestReferenceId before; what became of the first request?"
        case .pendingRefund: "Apple has an open refund for this transaction; is it our own first request?"
        case .alreadyRefunded: "Apple says that the transaction is refunded already; by our own first request?"
        case .refusedWhileOpen:
            "Apple refused the repeat of a request whose first outcome is unknown; was that one accepted?"
        }
    }
}
