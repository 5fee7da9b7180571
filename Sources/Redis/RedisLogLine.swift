package import Telemetry

/// A line of redis-server's own log: `12345:M 30 Nov 2026 06:12:52.123 * Ready to accept connections`, or, from where it
/// can't tell the time, `12345:signal-handler (1796019905) Received SIGTERM`.
package struct RedisLogLine: Sendable, Hashable {
    package let level: Log.Level
    package let message: String

    /// Nil if the server wrote it otherwise than as a line of its log: a mistake in its configuration, a crash report.
    package init?(_ line: String) {
        if let match = line.wholeMatch(of: /[0-9]+:signal-handler \([0-9]+\) (?<message>.*)/) {
            (level, message) = (.info, String(match.message))
            return
        }
        let pattern = /[0-9]+:[A-Z] [0-9]{1,2} [A-Z][a-z]{2} [0-9]{4} [0-9:.]+ (?<mark>[.*#\-]) (?<message>.*)/
        guard let match = line.wholeMatch(of: pattern) else { return nil }
        message = String(match.message)
        level =
            switch match.mark {
            case ".": .debug
            case "#" where Self.alarms.contains { match.message.contains($0) }: .warning
            // The server shouts its name and version, too.
            case "#": .info
            default: match.mark == "-" ? .debug : .info
            }
    }

    private static let alarms = ["WARNING", "rror", "ailed", "an't", "annot", "nable", "orrupt", "Bad file"]
}
