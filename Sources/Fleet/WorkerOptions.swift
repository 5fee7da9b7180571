import Foundation

/// How one worker process works.
package struct WorkerOptions: Sendable {
    /// Unique in the fleet and over time: a successor must never be taken for its predecessor.
    package var name: String
    /// Requests under way at most, all apps together.
    package var concurrency: Int
    package var lease: Duration
    /// Apple's own client waits 30 s for an answer.
    package var requestTimeout: Duration
    /// How long a drain waits for what is under way.
    package var drain: Duration
    /// A beat is missed when it is this old; four in a row and the worker counts as dead.
    package var beat: Duration
    /// Bells can be lost; each app is looked at this often all the same.
    package var sweep: Duration
    /// How often one worker of the fleet looks for streams that nobody reads, and for entries that others deleted.
    package var streamSweep: Duration
    /// How long an app is left to the others when this host seems to be at fault.
    package var standDown: Duration
    /// How long an alarm is left to the worker that took it; longer than telling can take, or two would tell it.
    package var alarmPatience: Duration
    /// End once nothing is left that could be sent.
    package var untilIdle: Bool

    package init(
        name: String = WorkerOptions.uniqueName(), concurrency: Int = 64, lease: Duration = .seconds(60),
        requestTimeout: Duration = .seconds(30), drain: Duration = .seconds(45), beat: Duration = .seconds(2),
        sweep: Duration = .seconds(15), streamSweep: Duration = .seconds(3600), standDown: Duration = .seconds(30),
        alarmPatience: Duration = .seconds(60), untilIdle: Bool = false
    ) {
        self.name = name
        self.concurrency = concurrency
        self.lease = lease
        self.requestTimeout = requestTimeout
        self.drain = drain
        self.beat = beat
        self.sweep = sweep
        self.streamSweep = streamSweep
        self.standDown = standDown
        self.alarmPatience = alarmPatience
        self.untilIdle = untilIdle
    }

    /// Host, process and eight random digits.
    package static func uniqueName() -> String {
        let host = ProcessInfo.processInfo.hostName.prefix { $0 != "." }
        let salt = String(UInt32.random(in: .min ... .max), radix: 16)
        return "\(host)-\(ProcessInfo.processInfo.processIdentifier)-\(salt)"
    }
}
