import Queue
import Testing

@testable import Fleet

@Suite struct `Redis' clock, as a worker carries it on` {
    private let start = ContinuousClock.now

    /// A clock that has been read once a second, ten times, each answer within 2 ms.
    private func settled() -> RedisClock {
        var clock = RedisClock()
        for second in 0..<10 { _ = read(&clock, at: .seconds(second), off: .zero) }
        return clock
    }

    /// Reads a clock that is so far off what it showed at first. The question takes `there`, the answer `back`.
    private func read(
        _ clock: inout RedisClock, at time: Duration, off step: Duration, there: Duration = .milliseconds(1),
        back: Duration = .milliseconds(1)
    ) -> RedisClock.Verdict {
        clock.set(
            microseconds: 1_800_000_000_000_000 + (time + there + step).milliseconds * 1000,
            asked: start + time, answered: start + time + there + back)
    }

    @Test(
        arguments: [
            (0, .steady), (5, .steady), (9, .setForward), (200, .setForward), (3_600_000, .setForward), (-5, .steady),
            (-9, .setBack), (-200, .setBack), (-3_600_000, .setBack),
        ] as [(Int, RedisClock.Verdict)])
    func `shows a step that is longer than what may be off`(milliseconds: Int, verdict: RedisClock.Verdict) {
        var clock = settled()
        #expect(read(&clock, at: .seconds(10), off: .milliseconds(milliseconds)) == verdict)
        // And goes on from there.
        #expect(read(&clock, at: .seconds(11), off: .milliseconds(milliseconds)) == .steady)
    }

    @Test func `takes a slow question or a slow answer for no step`() {
        var clock = settled()
        #expect(read(&clock, at: .seconds(10), off: .zero, there: .seconds(4)) == .steady)
        #expect(read(&clock, at: .seconds(20), off: .zero, back: .seconds(4)) == .steady)
        #expect(read(&clock, at: .seconds(30), off: .zero, there: .seconds(2), back: .seconds(2)) == .steady)
        // What is known of before is not forgotten for it.
        #expect(read(&clock, at: .seconds(40), off: .milliseconds(30)) == .setForward)
    }

    @Test func `takes drift for no step`() {
        var clock = settled()
        for second in 10..<4000 {
            #expect(read(&clock, at: .seconds(second), off: .microseconds(second * 100)) == .steady)
        }
    }
}
