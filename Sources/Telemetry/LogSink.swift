/// Takes events; called from any thread, in the order in which each thread logs.
package protocol LogSink: Sendable {
    func receive(_ event: LogEvent)
}
