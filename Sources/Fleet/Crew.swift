import EventLoop
import Synchronization

/// What a worker's dispatchers share: its slots, the server they talk to, the alarm.
final class Crew: Sendable {
    let domain: LoopDomain
    let herald: Herald
    let measures: Measures
    private let state: Mutex<State>

    private struct State {
        var slots: Slots
        var runId = "unknown"
        var onChange: @Sendable () -> Void = {}
    }

    init(domain: LoopDomain, slots: Slots, herald: Herald, measures: Measures) {
        self.domain = domain
        self.herald = herald
        self.measures = measures
        state = Mutex(State(slots: slots))
    }

    /// Of the Redis server that the connection talks to now; another one means a server that may have forgotten.
    var runId: String {
        get { state.withLock { $0.runId } }
        set { state.withLock { $0.runId = newValue } }
    }

    func free(for app: String) -> Int { state.withLock { $0.slots.free(for: app) } }
    func take(_ number: Int, for app: String) { state.withLock { $0.slots.take(number, for: app) } }
    func give(_ number: Int, from app: String) { state.withLock { $0.slots.give(number, from: app) } }

    /// Who is told when a send was recorded or a call of `lease` ended: a slot may be free, the worker may be idle.
    func onChange(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onChange = body } }
    func changed() { state.withLock { $0.onChange }() }
}
