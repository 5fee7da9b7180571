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
        /// Apps that went without a slot.
        var starved: Set<String> = []
        var leasing = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
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

    // MARK: The turnstile

    /// How many apps may be between the start of their `lease` call and the start of its sends. A permit is good for a
    /// few milliseconds: a hundred apps that asked at once would have theirs void before their turn on the loop came.
    private static let leasesAtOnce = 4

    func enterTurnstile() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.leasing >= Self.leasesAtOnce else {
                    state.leasing += 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// The next in the queue goes through in this one's place.
    func leaveTurnstile() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.leasing -= 1
            return nil
        }
        next?.resume()
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
    /// Takes as many slots as an app may have; 0 puts it among the starved, to be rung when one gets free.
    func reserve(for app: String) -> Int {
        state.withLock { state in
            let number = state.slots.free(for: app)
            state.slots.take(number, for: app)
            if number == 0 { state.starved.insert(app) }
            return number
        }
    }

    func starve(_ app: String) { state.withLock { _ = $0.starved.insert(app) } }

    func takeStarved() -> Set<String> {
        state.withLock { state in
            defer { state.starved = [] }
            return state.starved
        }
    }

    func take(_ number: Int, for app: String) { state.withLock { $0.slots.take(number, for: app) } }
    func give(_ number: Int, from app: String) { state.withLock { $0.slots.give(number, from: app) } }

    /// Who is told when a send was recorded or a call of `lease` ended: a slot may be free, the worker may be idle.
    func onChange(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onChange = body } }
    func changed() { state.withLock { $0.onChange }() }
}
