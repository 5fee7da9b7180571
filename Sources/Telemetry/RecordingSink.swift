private import Synchronization

/// Keeps every event: for tests that assert on what was said, and for a summary at the end of a run.
package final class RecordingSink: LogSink {
    private let kept = Mutex<[LogEvent]>([])

    package init() {}

    package func receive(_ event: LogEvent) { kept.withLock { $0.append(event) } }

    package var events: [LogEvent] { kept.withLock { $0 } }
}
