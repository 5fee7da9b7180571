/// Redis' clock between two looks at it: its last reading, carried on by our own monotonic clock.
struct RedisClock {
    private var reading: (microseconds: Int64, at: ContinuousClock.Instant)?

    var isSet: Bool { reading != nil }

    mutating func set(microseconds: Int64) { reading = (microseconds, .now) }

    /// UNIX microseconds; 0 before the first reading.
    var now: Int64 {
        guard let reading else { return 0 }
        let elapsed = (ContinuousClock.now - reading.at).components
        return reading.microseconds + elapsed.seconds * 1_000_000 + elapsed.attoseconds / 1_000_000_000_000
    }
}
