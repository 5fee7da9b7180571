import EventLoop
import Telemetry

/// What a worker's dispatchers share: its slots, the server they talk to, the alarm. On the loop's thread only.
final class Crew {
    let domain: LoopDomain
    let herald: Herald
    let measures: Measures
    /// Of the Redis server that the connection talks to now; another one means a server that may have forgotten.
    var runId = "unknown"
    /// Called when a slot got free, for the apps that wait for one.
    var onFreed: () -> Void = {}
    private var slots: Slots

    init(domain: LoopDomain, slots: Slots, herald: Herald, measures: Measures) {
        self.domain = domain
        self.slots = slots
        self.herald = herald
        self.measures = measures
    }

    func free(for app: String) -> Int { slots.free(for: app) }
    func take(_ number: Int, for app: String) { slots.take(number, for: app) }
    func give(_ number: Int, from app: String) { slots.give(number, from: app) }
    func freed() { onFreed() }
}
