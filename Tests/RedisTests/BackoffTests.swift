import Testing

@testable import Redis

@Suite struct BackoffTests {
    @Test(arguments: [(1, 100), (2, 200), (3, 400), (5, 1600), (6, 2000), (1000, 2000)])
    func `the rest grows to two seconds and is never shorter than 50 ms`(failures: Int, bound: Int) {
        #expect(Backoff.delay(afterFailures: failures, random: 0) == .milliseconds(50))
        let longest = Backoff.delay(afterFailures: failures, random: 0.999_999)
        #expect(longest <= .milliseconds(bound))
        #expect(longest >= .milliseconds(bound - 2))
    }
}
