private import Foundation

/// Where a part says what it does: one event, one line, with fields that a machine can read.
///
/// A log is a value: a part takes one in its initializer and passes on a narrower one. Every text passes through
/// `redacting(_:)` on its way out, as the last line of defence; the first is `Secret`.
package struct Log: Sendable {
    /// How much an event matters; a log drops what lies below its own level.
    package enum Level: String, Sendable, CaseIterable, Comparable {
        /// For the one who looks for a fault; many lines a job.
        case debug
        /// The normal course: one or two lines a job at most.
        case info
        /// Rare and worth knowing: started, drained, resumed.
        case notice
        /// Something went wrong and was dealt with.
        case warning
        /// A person has to act.
        case error

        package static func < (left: Level, right: Level) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .debug: 0
            case .info: 1
            case .notice: 2
            case .warning: 3
            case .error: 4
            }
        }
    }

    package let label: String
    package let level: Level
    private let sink: (any LogSink)?
    private let carried: [LogEvent.Field]

    package init(to sink: any LogSink, level: Level = .info, label: String) {
        self.init(sink: sink, level: level, label: label, carried: [])
    }

    private init(sink: (any LogSink)?, level: Level, label: String, carried: [LogEvent.Field]) {
        self.sink = sink
        self.level = level
        self.label = label
        self.carried = carried
    }

    /// Discards everything.
    package static let none = Log(sink: nil, level: .error, label: "", carried: [])

    /// Writes one event; neither text is made when the level is too low.
    package func callAsFunction(
        _ level: Level,
        _ message: @autoclosure () -> String,
        _ fields: @autoclosure () -> KeyValuePairs<String, String> = [:]
    ) {
        guard let sink, level >= self.level else { return }
        let own = fields().map { LogEvent.Field(name: $0.key, value: redacting($0.value)) }
        sink.receive(
            LogEvent(
                time: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)),
                level: level,
                label: label,
                message: redacting(message()),
                fields: carried + own))
    }

    /// The same log under another part's name.
    package func labelled(_ label: String) -> Log {
        Log(sink: sink, level: level, label: label, carried: carried)
    }

    /// The same log with fields that every further event carries, such as the app or the job.
    package func carrying(_ fields: KeyValuePairs<String, String>) -> Log {
        let more = fields.map { LogEvent.Field(name: $0.key, value: redacting($0.value)) }
        return Log(sink: sink, level: level, label: label, carried: carried + more)
    }
}
