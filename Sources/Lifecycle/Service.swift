/// A part of a process that lives as long as the process does.
///
/// `run` returning means that its work is over, and with it the process: a `ServiceGroup` then stops everything else.
/// When its task is cancelled it gives back what it holds and returns soon.
package protocol Service: Sendable {
    func run() async throws
}

/// A service that others rely on: the next one starts when `start` has returned.
package protocol StartingService: Service {
    func start() async throws
}

/// A service with work in hand, which it would rather finish than give back.
package protocol DrainingService: Service {
    /// Takes no new work from here on; `run` returns as soon as what was taken is done. Returns at once.
    func quiet() async
}
