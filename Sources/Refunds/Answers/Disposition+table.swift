/// What an answer means for its job: the one place where that is decided (fact sheet, section 6; `architecture`,
/// invariant 2).
///
/// - Parameters:
///   - idIsOpen: whether an earlier send of the *same* requestReferenceId ended without an answer that closes it. Then
///     429, 401, 408, 5xx and silence repeat the same id and bytes, and every other 4xx is reconciled.
///   - freshTokenWasRefused: whether the token of this send was made anew after a 401.
///   - hasConsistencyToken: whether the request carried one, so that it can be dropped.
///   - delayMs: what `RetryPolicy` gives for this attempt.
///   - nowMs: UNIX ms, used for `Retry-After` if Apple's answer has no date.
///   - random: 0 up to 1.
package func disposition(
    of answer: Answer, operation: Operation, idIsOpen: Bool, freshTokenWasRefused: Bool = false,
    hasConsistencyToken: Bool = false, delayMs: Int64, nowMs: Int64, random: Double = 0
) -> Verdict {
    let send = Send(
        operation: operation, idIsOpen: idIsOpen, freshTokenWasRefused: freshTokenWasRefused,
        hasConsistencyToken: hasConsistencyToken, delayMs: delayMs, nowMs: nowMs, random: random)
    return switch answer {
    case .unsent: send.verdict(.retrySame(afterMs: delayMs), leavesIdOpen: idIsOpen)
    case .unclear: send.verdict(.retrySame(afterMs: delayMs), leavesIdOpen: true)
    case .response(let status, let errorCode, let retryAfter, let date, let isReadable200):
        send.judge(status, errorCode, retryAfter, date, isReadable200)
    }
}

/// One send and what was known before its answer came.
private struct Send {
    let operation: Operation
    let idIsOpen: Bool
    let freshTokenWasRefused: Bool
    let hasConsistencyToken: Bool
    let delayMs: Int64
    let nowMs: Int64
    let random: Double

    func judge(
        _ status: Int, _ errorCode: Int64?, _ retryAfter: [String], _ date: String?, _ isReadable200: Bool
    ) -> Verdict {
        // A code that contradicts its status is no definite answer of Apple's.
        let code = errorCode.flatMap { $0 / 10_000 == Int64(status) ? $0 : nil }
        let error = code.flatMap { AppleError.catalogue[$0] }
        switch status {
        case 200 where isReadable200: return verdict(.accepted, leavesIdOpen: false)
        case 200..<300: return verdict(.reconcile(.unreadableSuccess), leavesIdOpen: true, needsAlert: true)
        case 401: return judgeUnauthorized(code, error)
        case 408, 500..<600: return verdict(.retrySame(afterMs: delayMs), leavesIdOpen: true, error: error)
        case 429: return judgeRateLimit(code, error, retryAfter, date)
        case 400..<500 where idIsOpen: return judgeRefusalWhileOpen(status, code, error)
        case 400..<500: return judgeRefusal(status, code, error)
        // A redirect isn't followed, and whatever else answers is not the App Store.
        default: return verdict(.pauseApp(reason: .redirected, sameId: true), leavesIdOpen: true, needsAlert: true)
        }
    }

    // MARK: Answers about the app rather than the job

    /// Apple's 401 may be plain text. Only one with a code closes the id: see decision 0012.
    private func judgeUnauthorized(_ code: Int64?, _ error: AppleError?) -> Verdict {
        let staysOpen = idIsOpen || code == nil
        let disposition: Disposition =
            freshTokenWasRefused
            ? .pauseApp(reason: .unauthorized, sameId: staysOpen) : .refreshToken(sameId: staysOpen)
        return verdict(
            disposition, leavesIdOpen: staysOpen, needsAlert: freshTokenWasRefused, isAgreementSuspect: true,
            error: error)
    }

    private func judgeRateLimit(
        _ code: Int64?, _ error: AppleError?, _ retryAfter: [String], _ date: String?
    ) -> Verdict {
        let staysOpen = idIsOpen || code == nil
        let wait = RetryAfter.parse(headers: retryAfter, date: date, nowMs: nowMs, random: random)
        return verdict(
            .block(forMs: wait.waitMs, sameId: staysOpen), leavesIdOpen: staysOpen, needsAlert: wait.wasSuspicious,
            error: error)
    }

    // MARK: Refusals

    /// The refusal may concern a repeat of what an earlier send achieved.
    private func judgeRefusalWhileOpen(_ status: Int, _ code: Int64?, _ error: AppleError?) -> Verdict {
        let reason: ReconcileReason =
            switch error?.handling {
            case .buryAsRepeated: .repeatedReferenceId
            case .hold: .pendingRefund
            case .reconcile: .alreadyRefunded
            default: .refusedWhileOpen
            }
        return verdict(
            .reconcile(reason), leavesIdOpen: true, isAgreementSuspect: isSuspect(status, error), error: error)
    }

    /// The only send of its id was refused.
    private func judgeRefusal(_ status: Int, _ code: Int64?, _ error: AppleError?) -> Verdict {
        guard let error else { return judgeUnknownRefusal(status, code) }
        let suspect = error.isAgreementSuspect
        switch error.handling {
        case .bury(let alert): return bury(.rejected, error, needsAlert: alert, isAgreementSuspect: suspect)
        case .buryAsOurMistake: return bury(.unexpected, error, needsAlert: true)
        // Somebody used the id before: perhaps we, before we lost our memory. It stays open until a person has looked.
        case .buryAsRepeated: return bury(.repeatedReferenceId, error, leavesIdOpen: true, needsAlert: true)
        case .hold where operation.movesMoney: return verdict(.hold, leavesIdOpen: false, error: error)
        case .reconcile where operation.movesMoney:
            return verdict(.reconcile(.alreadyRefunded), leavesIdOpen: false, error: error)
        // Apple doesn't list them for a cancel, which has no refund to wait for.
        case .hold, .reconcile: return bury(.rejected, error, needsAlert: true)
        case .retryNewWithoutConsistencyToken where hasConsistencyToken:
            return verdict(
                .retryNew(afterMs: delayMs), leavesIdOpen: false, dropsConsistencyToken: true, error: error)
        // Nothing to drop: the same request would be refused for ever.
        case .retryNewWithoutConsistencyToken: return bury(.rejected, error, needsAlert: true)
        case .pause(let reason):
            return verdict(
                .pauseApp(reason: reason, sameId: false), leavesIdOpen: false, needsAlert: true, error: error)
        // The rest belongs to statuses that were judged before.
        case .retryNew, .retrySame, .refreshToken, .block:
            return verdict(.retryNew(afterMs: delayMs), leavesIdOpen: false, error: error)
        }
    }

    private func judgeUnknownRefusal(_ status: Int, _ code: Int64?) -> Verdict {
        // Without a code it is no definite rejection, so the id stays open.
        let staysOpen = code == nil
        if status == 403 {
            return verdict(
                .pauseApp(reason: .forbidden, sameId: staysOpen), leavesIdOpen: staysOpen, needsAlert: true,
                isAgreementSuspect: true)
        }
        let hint =
            staysOpen
            ? "Apple gave no code: look the transaction up and check the request; a redrive repeats it as it is"
            : "Apple's list doesn't have code \(code ?? 0): look it up before you redrive or discard"
        return verdict(.bury(reason: .rejected, hint: hint), leavesIdOpen: staysOpen, needsAlert: true)
    }

    private func isSuspect(_ status: Int, _ error: AppleError?) -> Bool {
        error?.isAgreementSuspect ?? (status == 403)
    }

    private func bury(
        _ reason: DeadReason, _ error: AppleError, leavesIdOpen: Bool = false, needsAlert: Bool,
        isAgreementSuspect: Bool = false
    ) -> Verdict {
        verdict(
            .bury(reason: reason, hint: error.hint), leavesIdOpen: leavesIdOpen, needsAlert: needsAlert,
            isAgreementSuspect: isAgreementSuspect, error: error)
    }

    func verdict(
        _ disposition: Disposition, leavesIdOpen: Bool, needsAlert: Bool = false, isAgreementSuspect: Bool = false,
        dropsConsistencyToken: Bool = false, error: AppleError? = nil
    ) -> Verdict {
        Verdict(
            disposition: disposition, leavesIdOpen: leavesIdOpen, needsAlert: needsAlert,
            isAgreementSuspect: isAgreementSuspect, dropsConsistencyToken: dropsConsistencyToken, error: error)
    }
}
