/// How long a 429 wants us to wait.
///
/// Apple sends UNIX time in milliseconds, unlike everybody else (Advanced Commerce API, "Rate limits"). The wait is
/// counted from Apple's own `Date`, so that no clock of ours decides.
package enum RetryAfter {
    /// A wait nobody asked for: the header was missing or made no sense.
    package static let fallbackMs: Int64 = 60_000
    /// A full hour, which is Apple's window, and a margin.
    package static let longestMs: Int64 = 75 * 60_000

    /// - Parameters:
    ///   - headers: every `Retry-After` of the answer; of several the longest wait counts.
    ///   - date: the answer's `Date`; without a readable one, `nowMs` stands in.
    ///   - random: 0 up to 1; spreads the fallback by up to a tenth.
    /// - Returns: the wait in ms, from 1 to `longestMs`, and whether somebody should look.
    package static func parse(
        headers: [String], date: String?, nowMs: Int64, random: Double = 0
    ) -> (waitMs: Int64, wasSuspicious: Bool) {
        let now = date.flatMap(HTTPDate.parse) ?? nowMs
        let values = headers.flatMap(split)
        let waits = values.compactMap { wait($0, now: now) }.filter { $0 > 0 }
        let isClean = Set(values).count == 1 && waits.count == values.count
        guard let longest = waits.max() else {
            return (fallbackMs + Int64(Double(fallbackMs / 10) * min(max(random, 0), 1)), true)
        }
        return (min(longest, longestMs), !isClean || longest > longestMs)
    }

    /// Doubled headers may arrive joined by a comma (RFC 9110, section 5.3); a date has one of its own.
    private static func split(_ header: String) -> [String] {
        let whole = trimmed(header[...])
        if HTTPDate.parse(whole) != nil { return [whole] }
        return header.split(separator: ",", omittingEmptySubsequences: false).map(trimmed)
    }

    private static func trimmed(_ text: Substring) -> String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let rest = text.drop(while: isSpace)
        guard let last = rest.lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(rest[...last])
    }

    /// Milliseconds from `now`, or nil for what no form explains; zero and less means a time that has passed.
    private static func wait(_ value: String, now: Int64) -> Int64? {
        guard !value.isEmpty, value.utf8.allSatisfy(ASCII.isDigit) else {
            return HTTPDate.parse(value).map { $0 - now }
        }
        guard let number = Int64(value) else { return nil }
        switch number {
        case 1_000_000_000_000...: return number - now
        case 1_000_000_000...: return number * 1000 - now
        case ..<1_000_000: return number * 1000
        // Neither a delay that makes sense nor a time after 2001.
        default: return nil
        }
    }
}
