/// What is to be done with a job after an answer.
package enum Disposition: Sendable, Hashable {
    /// Apple took it. For refund and revoke the outcome is still to come; a cancel is done.
    case accepted
    /// The same id and the same bytes again.
    case retrySame(afterMs: Int64)
    /// A new id, which is lawful: none is open.
    case retryNew(afterMs: Int64)
    /// The whole app waits; the job loses no attempt.
    case block(forMs: Int64, sameId: Bool)
    /// One immediate resend with a fresh token.
    case refreshToken(sameId: Bool)
    /// No request of the app leaves until a person looks; the job waits unharmed.
    case pauseApp(reason: PauseReason, sameId: Bool)
    /// Apple has an open refund for the transaction: wait for its outcome.
    case hold
    /// Sending on could pay twice: ask Apple what became of it.
    case reconcile(ReconcileReason)
    /// A person decides.
    case bury(reason: DeadReason, hint: String)
}

/// Why an app is paused.
package enum PauseReason: String, Sendable, Hashable, CaseIterable {
    /// A fresh token was refused as well.
    case unauthorized
    /// A 403 that Apple's list doesn't know: perhaps an agreement that wasn't accepted.
    case forbidden
    /// Apple doesn't know the app: wrong bundle or environment.
    case unknownApp
    /// The host answers with a redirect: probably not Apple's.
    case redirected

    package var hint: String {
        switch self {
        case .unauthorized, .forbidden: "check the Addendum in App Store Connect, then the key"
        case .unknownApp: "check bundleId, environment and baseURL of the app"
        case .redirected: "check baseURL and proxies: Apple doesn't redirect"
        }
    }
}

/// Why Apple must be asked before anything else happens.
package enum ReconcileReason: String, Sendable, Hashable, CaseIterable {
    /// 200, or another 2xx, without a body that we can read: accepted, outcome open.
    case unreadableSuccess
    /// Apple says that it has seen the id: our own earlier send, most likely.
    case repeatedReferenceId
    /// Apple has an open refund, perhaps our own.
    case pendingRefund
    /// Apple says that the transaction is refunded, perhaps by us.
    case alreadyRefunded
    /// Refused, but an earlier send of the same id was never answered.
    case refusedWhileOpen
}

/// A disposition and what else the answer tells.
package struct Verdict: Sendable, Hashable {
    package let disposition: Disposition
    /// Whether a request under this id may have been, or may yet be, carried out by Apple: then no new id is lawful,
    /// and only a 200, a verified outcome or a person's finding closes it.
    package let leavesIdOpen: Bool
    /// Somebody should look, even though the job itself is taken care of.
    package let needsAlert: Bool
    /// One of the answers that an agreement which wasn't accepted may cause; runs of them pause the app.
    package let isAgreementSuspect: Bool
    /// The retry must go without `consistencyToken`, which Apple refused: see `Job.withoutConsistencyToken()`.
    package let dropsConsistencyToken: Bool
    /// Apple's code as we know it, if the answer had one that fits its status.
    package let error: AppleError?

    /// Whether this send counts against the policy's attempts.
    package var countsAsAttempt: Bool {
        switch disposition {
        case .block, .pauseApp, .refreshToken: false
        default: true
        }
    }
}
