/// Measures how long the event loop was away, from ticks that should come at a steady pace.
///
/// While the loop is away nothing is stamped, so arrivals of that time all carry its end. An audit has to know.
package struct StallMeter: Sendable {
    package struct Stall: Sendable, Hashable {
        /// When the loop was back, in nanoseconds since the start.
        package let endNs: Int64
        /// How long it may have been away, in nanoseconds; the pace of the ticks is included.
        package let lengthNs: Int64

        package init(endNs: Int64, lengthNs: Int64) {
            self.endNs = endNs
            self.lengthNs = lengthNs
        }
    }

    /// The pace of the ticks.
    static let period = Duration.milliseconds(5)
    private static let periodNs: Int64 = 5_000_000
    /// Lateness that isn't worth a line: a timer has a millisecond's resolution.
    private static let toleranceNs: Int64 = 5_000_000

    private var last: Int64
    private(set) var worst = Stall(endNs: 0, lengthNs: 0)

    init(at now: Int64) { last = now }

    /// The stall that ended with this tick, if there was one.
    mutating func tick(at now: Int64) -> Stall? {
        let gap = now - last
        last = now
        guard gap > Self.periodNs + Self.toleranceNs else { return nil }
        let stall = Stall(endNs: now, lengthNs: gap)
        if stall.lengthNs > worst.lengthNs { worst = stall }
        return stall
    }
}
