import Refunds
import Testing

@Suite struct RetryPolicyTests {
    @Test(
        arguments: [
            (1, 2000), (2, 4000), (3, 8000), (9, 512_000), (10, 900_000), (11, 900_000), (250, 900_000),
            (Int.max, 900_000),
            (0, 2000), (-1, 2000),
        ] as [(Int, Int64)])
    func `the ceiling doubles to its cap, and the delay is anything below it`(_ attempt: Int, _ ceiling: Int64) {
        let policy = RetryPolicy()
        #expect(policy.delay(attempt: attempt, random: 1) == ceiling)
        #expect(policy.delay(attempt: attempt, random: 0.5) == ceiling / 2)
        #expect(policy.delay(attempt: attempt, random: 0) == 0)
    }

    @Test func `a base above the cap is cut to it`() {
        #expect(RetryPolicy(baseSeconds: 60, capSeconds: 0.5).delay(attempt: 3, random: 1) == 500)
    }

    @Test(
        arguments: [
            (0, nil, RetryPolicy.Verdict.again), (249, 0, .again), (250, 0, .giveUp(.attemptsUsed)),
            (251, nil, .giveUp(.attemptsUsed)), (1, -86_399_999, .again), (1, -86_400_000, .giveUp(.tooOld)),
            (1, 1000, .again),
        ] as [(Int, Int64?, RetryPolicy.Verdict)])
    func `it ends with the attempts or a day after the first send`(
        _ attempts: Int, _ firstSentAgo: Int64?, _ expected: RetryPolicy.Verdict
    ) {
        let now: Int64 = 1_796_036_400_000
        let verdict = RetryPolicy().verdict(attempts: attempts, firstSentAt: firstSentAgo.map { now + $0 }, now: now)
        #expect(verdict == expected)
    }

    @Test func `a day of full jitter needs fewer attempts than are allowed`() {
        var random = SplitMix(seed: 1)
        let policy = RetryPolicy()
        var elapsed: Int64 = 0
        var attempts = 0
        while elapsed < 86_400_000 {
            attempts += 1
            elapsed += policy.delay(attempt: attempts, random: Double.random(in: 0..<1, using: &random))
        }
        #expect((150..<250).contains(attempts))
    }
}
