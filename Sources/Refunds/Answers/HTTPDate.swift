/// HTTP-date of RFC 9110, section 5.6.7: the one form to send and the two old ones that a recipient must take.
enum HTTPDate {
    /// UNIX ms; nil when `text` is none of the three.
    static func parse(_ text: String) -> Int64? {
        let words = text.split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
        switch words.count {
        // Sun, 06 Nov 1994 08:49:37 GMT, and Sunday, 06-Nov-94 08:49:37 GMT
        case 6 where words[5] == "GMT": return milliseconds(day: words[1], words[2], year: words[3], time: words[4])
        // Sun Nov  6 08:49:37 1994
        case 5: return milliseconds(day: words[2], words[1], year: words[4], time: words[3])
        default: return nil
        }
    }

    private static func milliseconds(day: String, _ month: String, year: String, time: String) -> Int64? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { Int64($0) }
        guard clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2],
            let day = Int64(day), let month = months.firstIndex(of: month), let year = fullYear(year),
            (1...31).contains(day), (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        let seconds = days(year: year, month: Int64(month) + 1, day: day) * 86_400 + hour * 3600 + minute * 60 + second
        return seconds * 1000
    }

    /// Two digits mean the year of that name nearest to now; for headers about the next hour, this century.
    private static func fullYear(_ text: String) -> Int64? {
        guard let year = Int64(text), text.utf8.count == 2 || text.utf8.count == 4, year >= 0 else { return nil }
        return text.utf8.count == 2 ? 2000 + year : year
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Days since 1970-01-01 in the Gregorian calendar, counted in years that begin in March.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = year / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
