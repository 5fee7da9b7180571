import Testing

@testable import AppStoreSimulator

@Suite struct SlidingWindowTests {
    @Test(
        arguments: [
            ([], 0), ([0], 1), ([0, 999], 2), ([0, 1000], 1), ([0, 500, 1000, 1499], 3), ([0, 0, 0], 3),
            ([0, 200, 400, 600, 800, 1000, 1200], 5), ([0, 990, 995, 1005, 1985, 1994], 4),
        ] as [([Int64], Int)])
    func `the window slides to where it holds the most and leaves out its end`(stamps: [Int64], most: Int) {
        #expect(SlidingWindow.most(stamps, in: 1000)?.count ?? 0 == most)
    }

    @Test func `it agrees with counting at every stamp`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<50 {
            let stamps = (0..<60).map { _ in Int64.random(in: 0..<5000, using: &generator) }.sorted()
            let slow = stamps.map { from in stamps.count { from <= $0 && $0 < from + 1000 } }.max()
            #expect(SlidingWindow.most(stamps, in: 1000)?.count == slow, "\(stamps)")
        }
    }

    private func judge(_ stamps: [(Int64, late: Int64)]) -> SlidingWindow.Judgement {
        SlidingWindow.judge(stamps.map { .init(ns: $0.0, latenessNs: $0.late) }, allowed: 5, in: 1000)
    }

    @Test func `five fit, six don't`() {
        #expect(judge([0, 1, 2, 3, 4].map { ($0, 0) }) == .init())
        #expect(judge([0, 1, 2, 3, 4, 1000].map { ($0, 0) }) == .init())
        #expect(judge([0, 1, 2, 3, 4, 999].map { ($0, 0) }) == .init(breaches: 1))
        #expect(judge([0, 1, 2, 3, 4, 5, 6].map { ($0, 0) }) == .init(breaches: 2))
    }

    @Test func `a stamp that may be late makes six in a window unsure, if it is late enough`() {
        #expect(judge([(100, 50), (101, 0), (102, 0), (103, 0), (104, 0), (1050, 0)]) == .init(inconclusive: 1))
        #expect(judge([(100, 49), (101, 0), (102, 0), (103, 0), (104, 0), (1050, 0)]) == .init(breaches: 1))
        #expect(judge([(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (999, 900)]) == .init(breaches: 1))
    }

    @Test func `a stamp that may be late makes five in a window less than proof`() {
        #expect(judge([(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (1020, 30)]) == .init(unproven: 1))
        #expect(judge([(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (1020, 20)]) == .init())
    }
}
