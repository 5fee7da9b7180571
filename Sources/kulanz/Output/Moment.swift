import Arguments
import Foundation

/// A point in time as people type it: `2h` (ago), `2026-11-30`, `2026-11-30T10:00:00Z`, or UNIX milliseconds.
struct Moment: ArgumentValue {
    /// UNIX milliseconds.
    let milliseconds: Int64

    init(milliseconds: Int64) { self.milliseconds = milliseconds }

    init?(argument: String) { self.init(argument, now: Int64(Date().timeIntervalSince1970 * 1000)) }

    init?(_ text: String, now: Int64) {
        if let number = Int64(text), number >= 100_000_000_000 {
            milliseconds = number
        } else if let date = Self.date(text) {
            milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded())
        } else if let last = text.last, last.isLetter, let ago = Duration(argument: text) {
            milliseconds = now - ago.components.seconds * 1000
        } else {
            return nil
        }
    }

    /// A day without a time begins at midnight where the command runs.
    private static func date(_ text: String) -> Date? {
        if let date = try? Date(text, strategy: .iso8601) { return date }
        let day = Date.ISO8601FormatStyle(timeZone: .current).year().month().day()
        return try? Date(text, strategy: day)
    }

    static var expectation: String { "a time such as 2h (ago), 2026-11-30 or 2026-11-30T10:00:00Z" }
    var argument: String { text }

    /// In the time zone of the machine, to the second: `2026-11-30 10:00:00`.
    var text: String {
        let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: .current)
            .year().month().day().time(includingFractionalSeconds: false)
        return Date(timeIntervalSince1970: Double(milliseconds) / 1000).formatted(style)
    }
}

extension Duration {
    /// As coarse as one would say it: `3 s`, `12 min`, `5 h`, `3 d`.
    static func spoken(milliseconds: Int64) -> String {
        switch milliseconds {
        case ..<1000: "\(max(0, milliseconds)) ms"
        case ..<120_000: "\(milliseconds / 1000) s"
        case ..<7_200_000: "\(milliseconds / 60_000) min"
        case ..<172_800_000: "\(milliseconds / 3_600_000) h"
        default: "\(milliseconds / 86_400_000) d"
        }
    }
}
