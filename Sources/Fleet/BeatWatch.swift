/// Tells which workers have died, from beats that only count.
///
/// A beat is a counter, not a time: a worker is dead when its counter stood still for `patience` of the watcher's own
/// clock while Redis could be read throughout. No clock is compared with another, so no clock can be wrong.
struct BeatWatch {
    private struct Sighting {
        var beat: Int64
        var since: ContinuousClock.Instant
    }

    private let patience: Duration
    private var sightings: [String: Sighting] = [:]

    init(patience: Duration) { self.patience = patience }

    /// Takes what Redis shows now; returns the workers whose beat has stood still for too long.
    mutating func see(_ beats: [String: Int64], at now: ContinuousClock.Instant) -> [String] {
        sightings = sightings.filter { beats[$0.key] != nil }
        var dead: [String] = []
        for (worker, beat) in beats {
            guard let sighting = sightings[worker], sighting.beat == beat else {
                sightings[worker] = Sighting(beat: beat, since: now)
                continue
            }
            if now - sighting.since >= patience { dead.append(worker) }
        }
        return dead.sorted()
    }

    /// Starts all over: while Redis was away, nobody could beat.
    mutating func forget() { sightings = [:] }
}
