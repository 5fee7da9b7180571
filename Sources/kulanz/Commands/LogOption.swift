import Arguments
import Telemetry

/// How a process that runs for long tells what it does, on standard error.
struct LogOption: Sendable {
    static let arguments: [Argument<Self>] = [
        .option("--log-level", "LEVEL", \.level, "The least that is worth a line."),
        .option("--log-format", "FORMAT", \.style, "Lines for people or for a collector."),
    ]

    var level = Log.Level.info
    var style = LogEvent.Style.text

    func log(_ label: String) -> Log { Log(to: LineSink(style: style), level: level, label: label) }
}

extension Log.Level: ArgumentValue {}
extension LogEvent.Style: ArgumentValue {}
