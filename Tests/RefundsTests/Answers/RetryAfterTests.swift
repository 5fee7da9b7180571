import Refunds
import Testing

@Suite struct RetryAfterTests {
    /// Sun, 29 Nov 2026 11:00:00 GMT.
    static let now: Int64 = 1_795_950_000_000

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let headers: [String]
        let date: String?
        let waitMs: Int64
        let wasSuspicious: Bool

        init(_ name: String, _ headers: [String], date: String? = nil, _ waitMs: Int64, suspicious: Bool = false) {
            testDescription = name
            self.headers = headers
            self.date = date
            self.waitMs = waitMs
            wasSuspicious = suspicious
        }
    }

    static let rows = [
        Row("epoch ms", ["1795950030000"], 30_000),
        Row("epoch ms with odd milliseconds", ["1795950000001"], 1),
        Row("epoch s", ["1795950030"], 30_000),
        Row("seconds", ["120"], 120_000),
        Row("spaces around", ["  120\t"], 120_000),
        Row("HTTP date", ["Sun, 29 Nov 2026 11:00:30 GMT"], 30_000),
        Row("RFC 850 date", ["Sunday, 29-Nov-26 11:00:30 GMT"], 30_000),
        Row("asctime date", ["Sun Nov 29 11:00:30 2026"], 30_000),
        Row("1.5", ["1.5"], 60_000, suspicious: true),
        Row("-3", ["-3"], 60_000, suspicious: true),
        Row("zero", ["0"], 60_000, suspicious: true),
        Row("empty", [""], 60_000, suspicious: true),
        Row("missing", [], 60_000, suspicious: true),
        Row("past, ms", ["1795949999999"], 60_000, suspicious: true),
        Row("past, s", ["1795949999"], 60_000, suspicious: true),
        Row("past, date", ["Sun, 29 Nov 2026 10:59:59 GMT"], 60_000, suspicious: true),
        Row("year 2099, ms", ["4070908800000"], 4_500_000, suspicious: true),
        Row("year 2099, date", ["Thu, 01 Jan 2099 00:00:00 GMT"], 4_500_000, suspicious: true),
        Row("75 minutes to the millisecond", ["1795954500000"], 4_500_000),
        Row("a millisecond more", ["1795954500001"], 4_500_000, suspicious: true),
        Row("seconds beyond the hour", ["86400"], 4_500_000, suspicious: true),
        Row("neither delay nor time", ["31536000"], 60_000, suspicious: true),
        Row("too many digits", ["99999999999999999999"], 60_000, suspicious: true),
        Row("doubled, equal", ["1795950030000", "1795950030000"], 30_000),
        Row("doubled, different: the later counts", ["30", "1795950090000"], 90_000, suspicious: true),
        Row("doubled in one line", ["1795950030000, 1795950030000"], 30_000),
        Row("doubled, one of them garbage", ["soon", "30"], 30_000, suspicious: true),
        Row("doubled, one of them past", ["1795949000000", "30"], 30_000, suspicious: true),
        Row("garbage", ["soon"], 60_000, suspicious: true),
        Row("no date of this world", ["Sun, 45 Nov 2026 11:00:30 GMT"], 60_000, suspicious: true),
        Row("not GMT", ["Sun, 29 Nov 2026 11:00:30 CET"], 60_000, suspicious: true),
        Row("hexadecimal", ["0x10"], 60_000, suspicious: true),
        Row("other digits", ["١٢"], 60_000, suspicious: true),
        // Apple's clock stands ten minutes ahead of ours, then behind: only the difference counts.
        Row("Date ahead", ["1795950630000"], date: "Sun, 29 Nov 2026 11:10:00 GMT", 30_000),
        Row("Date behind", ["1795949430000"], date: "Sun, 29 Nov 2026 10:50:00 GMT", 30_000),
        Row("Date unreadable", ["1795950030000"], date: "yesterday", 30_000),
        Row("a delay needs no Date", ["30"], date: "Sun, 29 Nov 2026 11:10:00 GMT", 30_000),
    ]

    @Test(arguments: rows)
    func `a Retry-After is understood or distrusted`(_ row: Row) {
        let result = RetryAfter.parse(headers: row.headers, date: row.date, nowMs: Self.now)
        #expect(result.waitMs == row.waitMs)
        #expect(result.wasSuspicious == row.wasSuspicious)
    }

    @Test func `whatever is sent, the wait is positive and at most 75 minutes`() {
        var random = SplitMix(seed: 5)
        let alphabet = Array("0123456789.,-+ eGMTSunNov:")
        for _ in 0..<5000 {
            let headers = (0..<Int.random(in: 0..<3, using: &random)).map { _ in
                String(
                    (0..<Int.random(in: 0..<20, using: &random)).compactMap { _ in
                        alphabet.randomElement(using: &random)
                    })
            }
            let wait = RetryAfter.parse(headers: headers, date: headers.first, nowMs: Self.now, random: 1).waitMs
            #expect((1...RetryAfter.longestMs).contains(wait), "\(headers)")
        }
    }

    @Test func `the fallback is spread so that not all come back at once`() {
        #expect(RetryAfter.parse(headers: [], date: nil, nowMs: Self.now, random: 0.5).waitMs == 63_000)
    }
}
