/// How a group of services starts and ends: events in, actions out. No task, no clock.
///
///     running ──stop──▶ quiet ──deadline──▶ handing back ──▶ stopped
///                         └───── all work is done ─────────────▲
///
/// Services start in order and end in reverse, one after the other, since the later ones rely on the earlier. One
/// deadline covers all of them. A second wish to stop ends the process at once: what is unfinished then is found by
/// those who watch for the dead.
package struct Drain: Sendable {
    package enum Phase: Sendable, Hashable { case running, quiet, handingBack, stopped }

    package enum Action: Sendable, Hashable {
        /// The service starts.
        case launch(Int)
        /// Call `deadlinePassed` when the time for quiet work is over.
        case startDeadline
        /// Call `patienceEnded` when the time for handing back is over.
        case startPatience
        /// The service takes no new work and ends by itself.
        case quiet(Int)
        /// The service gives back what it holds and ends.
        case cancel(Int)
        /// Everything has ended.
        case finish
        /// The process ends now, whatever still runs.
        case endAtOnce
    }

    private enum State: Sendable { case waiting, starting, running, ended }

    package private(set) var phase = Phase.running
    /// By service: whether it drains by itself (`DrainingService`).
    private let canDrain: [Bool]
    private var states: [State]
    private var current: Int?

    package init(canDrain: [Bool]) {
        self.canDrain = canDrain
        states = canDrain.map { _ in .waiting }
    }

    package mutating func begin() -> [Action] {
        guard !states.isEmpty else {
            phase = .stopped
            return [.finish]
        }
        states[0] = .starting
        return [.launch(0)]
    }

    /// Others may rely on the service from here on.
    package mutating func started(_ service: Int) -> [Action] {
        guard states[service] == .starting else { return [] }
        states[service] = .running
        guard phase == .running, service + 1 < states.count else { return [] }
        states[service + 1] = .starting
        return [.launch(service + 1)]
    }

    /// A signal, or another reason to stop. The second one ends the process.
    package mutating func stopRequested() -> [Action] {
        switch phase {
        case .running: return stop()
        case .quiet, .handingBack:
            phase = .stopped
            return [.endAtOnce]
        case .stopped: return []
        }
    }

    /// The service has returned, or thrown, or could not start.
    package mutating func ended(_ service: Int) -> [Action] {
        guard phase != .stopped, states[service] != .ended else { return [] }
        states[service] = .ended
        guard phase != .running else { return stop() }
        return service == current ? stopNext() : []
    }

    package mutating func deadlinePassed() -> [Action] {
        guard phase == .quiet else { return [] }
        phase = .handingBack
        guard let current, drains(current) else { return [.startPatience] }
        return [.startPatience, .cancel(current)]
    }

    /// A service doesn't even return when it is cancelled.
    package mutating func patienceEnded() -> [Action] {
        guard phase == .handingBack else { return [] }
        phase = .stopped
        return [.endAtOnce]
    }

    private mutating func stop() -> [Action] {
        phase = .quiet
        let actions = stopNext()
        return actions == [.finish] ? actions : [.startDeadline] + actions
    }

    private mutating func stopNext() -> [Action] {
        current = states.lastIndex { $0 == .starting || $0 == .running }
        guard let current else {
            phase = .stopped
            return [.finish]
        }
        return [phase == .quiet && drains(current) ? .quiet(current) : .cancel(current)]
    }

    /// A service that is still starting has no work to finish.
    private func drains(_ service: Int) -> Bool { canDrain[service] && states[service] == .running }
}
