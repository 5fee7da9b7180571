private import Foundation

/// One log of several processes: each line bears the name of the process that wrote it.
///
/// Text lines get the name in front. In a log for collectors every line stays one JSON object, with the name as
/// `process`; what a process wrote that is no event of ours (a crash report, another program's words) becomes one.
package struct SharedLog: Sendable {
    private let sink: LineSink
    private let level: Log.Level
    private let width: Int

    /// - Parameter width: of the longest name, so that lines align.
    package init(descriptor: Int32 = 2, style: LogEvent.Style, level: Log.Level, width: Int) {
        sink = LineSink(descriptor: descriptor, style: style)
        self.level = level
        self.width = width
    }

    /// Writes a line that a process has written to its standard error.
    package func pass(_ line: String, from name: String) {
        switch sink.style {
        case .text: sink.write(Self.text(line, name, width))
        case .json:
            if let json = Self.json(line, name) {
                sink.write(json)
            } else {
                log(of: name)(.warning, line)
            }
        }
    }

    /// A log whose events bear the name.
    package func log(of name: String) -> Log {
        Log(to: Sink(log: self, name: name), level: level, label: name)
    }

    private struct Sink: LogSink {
        let log: SharedLog
        let name: String

        func receive(_ event: LogEvent) { log.pass(event.line(log.sink.style), from: name) }
    }

    private static func text(_ line: String, _ name: String, _ width: Int) -> String {
        name + String(repeating: " ", count: max(0, width - name.count) + 1) + line
    }

    /// Nil if the line is no event of ours.
    private static func json(_ line: String, _ name: String) -> String? {
        guard line.hasPrefix("{\"time\":\""), line.hasSuffix("}"),
            (try? JSONSerialization.jsonObject(with: Data(line.utf8))) != nil
        else { return nil }
        // Names are ours and need no escapes.
        return "{\"process\":\"\(name)\"," + line.dropFirst()
    }
}
