/// A client's calls and the state of the connection that carries them: events in, actions out. No socket, no clock.
///
/// Replies come in the order of the commands, so a call is known by its place. Calls that wait for a connection keep
/// waiting over its loss, each until its own deadline; so do calls of which the connection had not yet taken every
/// byte, because a server never runs half a command. Whoever was never connected at all learns of a refusal at once:
/// a wrong address should not look like a slow one.
struct Conversation {
    typealias Instant = ContinuousClock.Instant

    enum Phase: Sendable, Hashable {
        /// Nobody has asked for anything yet.
        case idle
        case connecting
        case ready
        /// The server is a replica: what flies may land, then the connection is made anew.
        case retiring
        /// Waiting for the next attempt.
        case resting
        case closed
    }

    struct Call {
        let id: UInt64
        let bytes: [UInt8]
        let deadline: Instant
    }

    private struct Flight {
        let call: Call
        /// Where the call's last byte ends in the connection's stream of bytes.
        let end: UInt64
        /// The caller is gone; the place in the order stays.
        var isAbandoned = false
    }

    /// Why there is no connection.
    enum Fault: Error, Hashable {
        /// No connection could be made.
        case refused(String)
        /// No private connection could be made.
        case insecure(RedisTLSError)
        /// The greeting was answered with an error.
        case rejected(RedisServerError)
        /// An established connection ended.
        case lost
        case garbage(String)
    }

    enum Action: Sendable, Hashable {
        case connect
        case write([UInt8])
        case disconnect
        case rest(failures: Int)
        case finish(UInt64, Result<RedisValue, RedisError>)
        case announce(RedisConnectionState)
    }

    private(set) var phase = Phase.idle
    private var waiting = FIFO<Call>()
    private var flying = FIFO<Flight>()
    /// Bytes handed to the present connection, the greeting not counted.
    private var handed: UInt64 = 0
    private var failures = 0
    private var wasEverConnected = false
    private var lastFault: String?

    /// The deadline of the call that has least time left.
    var earliestDeadline: Instant? {
        let deadlines = [waiting.min { $0.deadline }, flying.min { $0.call.deadline }]
        return deadlines.compactMap { $0 }.min()
    }

    var isQuiet: Bool { waiting.isEmpty && flying.isEmpty }

    mutating func call(_ call: Call) -> [Action] {
        switch phase {
        case .closed: return [.finish(call.id, .failure(.closed(mayHaveRun: false)))]
        case .ready: return [fly(call)]
        case .idle:
            waiting.append(call)
            phase = .connecting
            return [.connect]
        case .connecting, .retiring, .resting:
            waiting.append(call)
            return []
        }
    }

    private mutating func fly(_ call: Call) -> Action {
        handed += UInt64(call.bytes.count)
        flying.append(Flight(call: call, end: handed))
        return .write(call.bytes)
    }

    mutating func connected(runId: String?) -> [Action] {
        guard phase == .connecting else { return [] }
        phase = .ready
        handed = 0
        wasEverConnected = true
        lastFault = nil
        return [.announce(.connected(runId: runId))] + waiting.takeAll().map { fly($0) }
    }

    /// `written`: how many bytes the socket has taken since the greeting.
    mutating func reply(_ value: RedisValue, written: UInt64) -> [Action] {
        guard let flight = flying.popFirst() else {
            return failed(.garbage("an answer that nobody asked for"), written: written)
        }
        var actions: [Action] = []
        if case .error(let error) = value {
            if !flight.isAbandoned { actions.append(.finish(flight.call.id, .failure(.server(error)))) }
            if error.kind == .readOnly, phase == .ready { phase = .retiring }
        } else {
            if !flight.isAbandoned { actions.append(.finish(flight.call.id, .success(value))) }
            failures = 0
        }
        if phase == .retiring, flying.isEmpty {
            actions += failed(.lost, written: written)
        }
        return actions
    }

    /// The connection, or the attempt to make one, has ended or must end.
    mutating func failed(_ fault: Fault, written: UInt64) -> [Action] {
        guard phase == .connecting || phase == .ready || phase == .retiring else { return [] }
        var actions: [Action] = [.disconnect]
        if phase != .connecting { actions.append(.announce(.disconnected)) }
        var kept: [Call] = []
        for flight in flying.takeAll() where !flight.isAbandoned {
            guard written >= flight.end else {
                kept.append(flight.call)
                continue
            }
            let error: RedisError =
                if case .garbage(let reason) = fault { .protocolError(reason) } else {
                    .connectionLost(mayHaveRun: true)
                }
            actions.append(.finish(flight.call.id, .failure(error)))
        }
        kept += waiting.takeAll()
        if let verdict = verdict(on: fault) {
            actions += kept.map { .finish($0.id, .failure(verdict)) }
            kept = []
        }
        waiting.replaceAll(with: kept)
        return actions + [rest()]
    }

    /// What the calls that wait for a connection are told at once; nil lets them go on waiting.
    private mutating func verdict(on fault: Fault) -> RedisError? {
        switch fault {
        case .refused(let reason):
            lastFault = reason
            return wasEverConnected ? nil : .connectionRefused(reason: reason)
        case .insecure(let error):
            lastFault = error.description
            return wasEverConnected ? nil : .insecure(error)
        case .rejected(let error):
            lastFault = error.description
            return error.isPassing ? nil : .server(error)
        case .garbage(let reason):
            lastFault = reason
            return wasEverConnected ? nil : .protocolError(reason)
        case .lost: return nil
        }
    }

    private mutating func rest() -> Action {
        failures += 1
        phase = .resting
        return .rest(failures: failures)
    }

    mutating func rested() -> [Action] {
        guard phase == .resting else { return [] }
        // A connection that was there comes back by itself; one that never was waits for the next call.
        guard wasEverConnected || !waiting.isEmpty else {
            phase = .idle
            return []
        }
        phase = .connecting
        return [.connect]
    }

    /// Time has reached `now`: ends what is due. After a call that got no answer nobody knows whose answer comes next,
    /// so the connection goes with it.
    mutating func passed(_ now: Instant, written: UInt64) -> [Action] {
        var actions: [Action] = []
        var kept: [Call] = []
        for call in waiting.takeAll() {
            guard call.deadline <= now else {
                kept.append(call)
                continue
            }
            let error: RedisError =
                if let lastFault { .connectionRefused(reason: lastFault) } else { .timedOut(mayHaveRun: false) }
            actions.append(.finish(call.id, .failure(error)))
        }
        waiting.replaceAll(with: kept)
        guard let due = flying.min(of: { $0.call.deadline }), due <= now else { return actions }
        var others: [Flight] = []
        for flight in flying.takeAll() {
            guard flight.call.deadline <= now else {
                others.append(flight)
                continue
            }
            guard !flight.isAbandoned else { continue }
            let error = RedisError.timedOut(mayHaveRun: written >= flight.end)
            actions.append(.finish(flight.call.id, .failure(error)))
        }
        flying.replaceAll(with: others)
        return actions + failed(.lost, written: written)
    }

    /// The caller of `id` no longer waits.
    mutating func cancel(_ id: UInt64, written: UInt64) -> [Action] {
        if waiting.removeFirst(where: { $0.id == id }) {
            return [.finish(id, .failure(.cancelled(mayHaveRun: false)))]
        }
        // Its bytes may still leave later, so it may run even if none has left yet.
        guard flying.updateFirst(where: { $0.call.id == id && !$0.isAbandoned }, { $0.isAbandoned = true }) else {
            return []
        }
        return [.finish(id, .failure(.cancelled(mayHaveRun: true)))]
    }

    mutating func close(written: UInt64) -> [Action] {
        guard phase != .closed else { return [] }
        var actions: [Action] = [.disconnect]
        if phase == .ready || phase == .retiring { actions.append(.announce(.disconnected)) }
        phase = .closed
        for flight in flying.takeAll() where !flight.isAbandoned {
            actions.append(.finish(flight.call.id, .failure(.closed(mayHaveRun: written >= flight.end))))
        }
        actions += waiting.takeAll().map { .finish($0.id, .failure(.closed(mayHaveRun: false))) }
        return actions
    }
}

/// Whether a client has a connection at the moment.
package enum RedisConnectionState: Sendable, Hashable {
    /// The run id names one life of one server: another one means a restart or a failover, and what was said to the
    /// old one may be forgotten. Nil when the user may not ask for it.
    case connected(runId: String?)
    case disconnected
}
