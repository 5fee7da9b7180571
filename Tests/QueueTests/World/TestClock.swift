import Queue
import Testing

/// Gives the scripts a clock that only the test moves: a key of the test's server, in microseconds.
enum TestClock {
    static let key = "test:clock"
    /// Where every test's time begins; a round number, so that a failure is easy to read.
    static let start: Int64 = 1_800_000_000_000_000

    static let scripts = QueueScripts { edited($1) }

    static func edited(_ source: String) -> String {
        let reading = "redis.call('TIME')"
        #expect(source.contains(reading), "the scripts read the clock in another way than the test clock knows")
        return source.replacing(
            reading,
            with: "(function(t) return { string.sub(t, 1, -7), string.sub(t, -6) } end)(redis.call('GET', '\(key)'))")
    }
}
