import Testing

@testable import Refunds

@Suite struct HTTPDateTests {
    /// The three spellings of RFC 9110, section 5.6.7, and days around leap days, by Python's `calendar.timegm`.
    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777_000), ("Sun Nov  6 08:49:37 1994", 784_111_777_000),
            ("Thursday, 29-Feb-24 12:00:00 GMT", 1_709_208_000_000),
            ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199_000),
            ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200_000), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Thu, 31 Dec 2099 23:59:59 GMT", 4_102_444_799_000), ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400_000),
        ] as [(String, Int64)])
    func `each spelling gives its moment`(_ text: String, _ expected: Int64) {
        #expect(HTTPDate.parse(text) == expected)
    }

    @Test(arguments: [
        "", "now", "Sun, 06 Nov 1994", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 08:49:37 PST", "Sun, 06 Nov 199 08:49:37 GMT",
        "Sun, x6 Nov 1994 08:49:37 GMT",
    ])
    func `what is no date is nil`(_ text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }
}
