/// Redis' clock, carried on by this machine's steady one between readings.
///
/// Redis' wall clock decides everything that workers share, and somebody may set it. How far it is ahead of the steady
/// clock lies between two bounds, for it was read after the question was sent and before the answer came. Bounds that
/// don't overlap with those of earlier readings prove that it was set, however slow the network is.
struct RedisClock {
    /// What a reading proved.
    enum Verdict: Hashable {
        case steady
        /// Departures look older than they are.
        case setForward
        /// Departures look younger: the script sees that by itself.
        case setBack
    }

    private var reading: (microseconds: Int64, at: ContinuousClock.Instant)?
    /// Redis' clock less the steady one, in µs since `origin`; one of these offsets was right at `reading`.
    private var offset: ClosedRange<Int64> = 0...0
    private let origin = ContinuousClock.now

    /// Two clocks drift apart, and a daemon may slew one: by that much at most, in millionths.
    static let driftPerMillion: Int64 = 500
    /// What may be off without harm: a fifth of the gate's usual guard.
    static let toleranceMicroseconds: Int64 = 5000

    var isSet: Bool { reading != nil }

    /// - Parameter microseconds: Redis' time, read somewhen between `asked` and `answered`.
    @discardableResult
    mutating func set(
        microseconds: Int64, asked: ContinuousClock.Instant, answered: ContinuousClock.Instant = .now
    ) -> Verdict {
        let seen = (microseconds - since(origin, answered))...(microseconds - since(origin, asked))
        guard let last = reading else {
            reading = (microseconds, answered)
            offset = seen
            return .steady
        }
        let drift = since(last.at, answered) * Self.driftPerMillion / 1_000_000
        let expected = (offset.lowerBound - drift)...(offset.upperBound + drift)
        reading = (microseconds, answered)
        if seen.overlaps(expected) {
            offset = seen.clamped(to: expected)
            return .steady
        }
        offset = seen
        if seen.lowerBound > expected.upperBound + Self.toleranceMicroseconds { return .setForward }
        return seen.upperBound < expected.lowerBound - Self.toleranceMicroseconds ? .setBack : .steady
    }

    /// UNIX microseconds; 0 before the first reading.
    var now: Int64 { reading.map { $0.microseconds + since($0.at, .now) } ?? 0 }

    private func since(_ start: ContinuousClock.Instant, _ end: ContinuousClock.Instant) -> Int64 {
        let (seconds, attoseconds) = (end - start).components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
