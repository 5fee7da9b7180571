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
        /// Live workers as the last look at the beats showed them, with the apps they serve.
        var live: [String: Set<String>] = [:]
        /// The app that wants the whole process for one job.
        var solitude: String?
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

    /// The workers that live now, this one included, and their apps.
    var live: [String: Set<String>] {
        get { state.withLock { $0.live } }
        set { state.withLock { $0.live = newValue } }
    }

    /// Whether another live worker serves the app, too.
    func hasOthers(for app: String, than worker: String) -> Bool {
        state.withLock { $0.live.contains { $0.key != worker && $0.value.contains(app) } }
    }

    // MARK: Solitude

    /// Whether an app may ask for jobs now: not while another one waits for the process to be empty.
    func mayLease(_ app: String) -> Bool {
        state.withLock { state in
            guard let holder = state.solitude else { return true }
            return holder == app && state.slots.taken == 0
        }
    }

    /// Asks for the whole process; the first app wins.
    func wantSolitude(for app: String) { state.withLock { $0.solitude = $0.solitude ?? app } }
    func hasSolitude(_ app: String) -> Bool { state.withLock { $0.solitude == app && $0.slots.taken == 0 } }
    func endSolitude(of app: String) {
        state.withLock { if $0.solitude == app { $0.solitude = nil } }
        changed()
    }

    func free(for app: String) -> Int { state.withLock { $0.slots.free(for: app) } }
    func take(_ number: Int, for app: String) { state.withLock { $0.slots.take(number, for: app) } }
    func give(_ number: Int, from app: String) { state.withLock { $0.slots.give(number, from: app) } }

    /// Who is told when a send was recorded or a call of `lease` ended: a slot may be free, the worker may be idle.
    func onChange(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onChange = body } }
    func changed() { state.withLock { $0.onChange }() }
}
