/// How many requests may leave, as the gate counts them: N in each sliding window.
package struct GateRate: Sendable, Hashable {
    package let requestsPerSecond: Double
    package let guardMilliseconds: Int

    /// Five a second by default, a tenth of that in sandbox; the guard covers the jitter between us and Apple.
    package init(requestsPerSecond: Double = 5, guardMilliseconds: Int = 25) {
        precondition(requestsPerSecond > 0, "a rate of zero would never let anything leave")
        self.requestsPerSecond = requestsPerSecond
        self.guardMilliseconds = guardMilliseconds
    }

    /// Whole requests a window; a rate below one a second makes one and stretches the window.
    package var departuresPerWindow: Int { max(1, Int(requestsPerSecond.rounded(.down))) }

    package var windowMicroseconds: Int {
        Int((Double(departuresPerWindow) / requestsPerSecond * 1_000_000).rounded(.up))
    }

    package var guardMicroseconds: Int { guardMilliseconds * 1000 }

    /// How long after the start of the `lease` call a permit may still be used.
    ///
    /// Half a guard: two requests whose permits lie one window and a guard apart then leave at least a window and half
    /// a guard apart, however late the earlier and however prompt the later one was.
    package var permitAge: Duration { .microseconds(guardMicroseconds / 2) }
}
