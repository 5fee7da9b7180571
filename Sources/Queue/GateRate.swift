/// How many requests may leave, as the gate counts them: N in each sliding window.
package struct GateRate: Sendable, Hashable {
    package let requestsPerSecond: Double
    /// Whole requests a window.
    package let departuresPerWindow: Int
    package let windowMicroseconds: Int
    package let guardMicroseconds: Int
    /// How long after the start of the `lease` call a permit may still be used.
    package let permitAge: Duration

    /// Five a second by default, a tenth of that in sandbox; the guard covers the jitter between us and Apple.
    package init(requestsPerSecond: Double = 5, guardMilliseconds: Int = 25) {
        precondition(requestsPerSecond > 0, "a rate of zero would never let anything leave")
        self.requestsPerSecond = requestsPerSecond
        // A rate below one a second makes one and stretches the window.
        departuresPerWindow = max(1, Int(requestsPerSecond.rounded(.down)))
        windowMicroseconds = Int((Double(departuresPerWindow) / requestsPerSecond * 1_000_000).rounded(.up))
        guardMicroseconds = guardMilliseconds * 1000
        // Half a guard: two requests whose permits lie one window and a guard apart then leave at least a window and
        // half a guard apart, however late the earlier and however prompt the later one was.
        permitAge = .microseconds(guardMicroseconds / 2)
    }

    /// A gate that does all its work and holds nothing back, for measurements; no configuration can say this.
    ///
    /// A high rate would not do: the gate reads its last N departures in each call, so N would be measured. Here N is
    /// what one call may lease, five as in production, and the window is a microsecond.
    package static func open(permitsPerCall: Int) -> GateRate { GateRate(open: max(1, permitsPerCall)) }

    private init(open permits: Int) {
        departuresPerWindow = permits
        windowMicroseconds = 1
        guardMicroseconds = 0
        permitAge = .seconds(5)
        requestsPerSecond = Double(permits) * 1_000_000
    }
}
