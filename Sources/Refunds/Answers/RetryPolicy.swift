/// When to try again and when to give up. Apple prescribes nothing for its 5xx (fact sheet, 6.2).
package struct RetryPolicy: Sendable, Hashable {
    package var maxAttempts: Int
    package var baseSeconds: Double
    package var capSeconds: Double
    /// Counted from the first send.
    package var giveUpAfterHours: Double

    package init(
        maxAttempts: Int = 250, baseSeconds: Double = 2, capSeconds: Double = 900, giveUpAfterHours: Double = 24
    ) {
        self.maxAttempts = maxAttempts
        self.baseSeconds = baseSeconds
        self.capSeconds = capSeconds
        self.giveUpAfterHours = giveUpAfterHours
    }

    /// Full jitter: anything from at once to the doubled base, so that a thousand jobs that failed together don't
    /// come back together.
    ///
    /// - Parameters:
    ///   - attempt: the attempts made so far, from 1.
    ///   - random: 0 up to 1.
    /// - Returns: milliseconds.
    package func delay(attempt: Int, random: Double) -> Int64 {
        // 2^63 times any base is beyond any cap; a longer shift would give 0.
        let doublings = min(max(attempt, 1) - 1, 63)
        let ceiling = baseSeconds * Double(UInt64(1) << UInt64(doublings))
        return Int64(min(ceiling, capSeconds) * 1000 * min(max(random, 0), 1))
    }

    package enum Verdict: Sendable, Hashable {
        case again
        case giveUp(GiveUp)
    }

    package enum GiveUp: String, Sendable, Hashable {
        case attemptsUsed, tooOld
    }

    /// Whether one more attempt is due.
    ///
    /// - Parameters:
    ///   - attempts: those made so far; a 429 doesn't count.
    ///   - firstSentAt: UNIX ms; nil while nothing was sent.
    ///   - now: UNIX ms.
    package func verdict(attempts: Int, firstSentAt: Int64?, now: Int64) -> Verdict {
        guard attempts < maxAttempts else { return .giveUp(.attemptsUsed) }
        if let firstSentAt, Double(now - firstSentAt) >= giveUpAfterHours * 3_600_000 { return .giveUp(.tooOld) }
        return .again
    }
}
