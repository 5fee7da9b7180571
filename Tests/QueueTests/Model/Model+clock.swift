/// Redis' clock, which somebody may set. Where the gate and the leases stand afterwards is decided by what workers saw of it.
extension Model {
    /// A fault that the model shares with the scripts.
    enum Misbelief: Sendable {
        case gateOutlivesSteps, workersSeeNothing, scriptsSeeNothing, leasesEndAtSteps, repeatsMindNoStep
        case rightIsNoStep
    }

    /// What a worker tells of the clock with a call.
    enum SeenClock: Sendable {
        case unknown
        /// What it should show now (µs), carried on by a steady clock from an earlier reading.
        case expected(Int64)
        /// The last answer showed that it was set forward.
        case stepped
    }

    /// More than the clock can seem to be ahead, or behind, without having been set.
    static let obviousStep: Int64 = 5_000_000
    private static let obviousLag: Int64 = 10_000

    /// Whether that, or the newest departure, shows a clock that was set.
    mutating func note(_ seen: SeenClock, newest: Int64? = nil) -> Bool {
        var isStep = false
        var latest = max(newest ?? now, stepped ?? now)
        switch seen {
        case .unknown: break
        case .expected(let expected):
            isStep = now - expected > Self.obviousStep && misbelief != .scriptsSeeNothing
            latest = max(latest, expected)
        case .stepped: isStep = misbelief != .workersSeeNothing
        }
        let marks = behind.filter { $0 - now > Self.obviousLag }
        let isRight = marks.count < behind.count && misbelief != .rightIsNoStep
        let isBack = latest - now > Self.obviousLag
        guard isStep || isBack || isRight else { return false }
        let isKnown = !isBack || marks.contains { $0 <= latest }
        behind = isKnown ? marks : marks + [latest]
        stepped = now
        return true
    }

    /// Until when the last step hides whether a request is still under way.
    var afterStep: Int64? { stepped.map { min($0, now) + timeout } }

    /// When a request of the job that was lost can no longer be under way, by a clock that may have been set since.
    func repeatDue(_ job: ModelJob) -> Int64 {
        let due = max(now, min(job.departed, now) + timeout)
        guard let stepped, job.departed <= stepped || job.departed > now, misbelief != .repeatsMindNoStep else {
            return due
        }
        return max(due, afterStep ?? now)
    }
}
