import Refunds

/// One job of the demo's day, valid by our own checks.
struct DemoJob: Sendable {
    enum Way: Sendable { case xadd, enqueue }

    let app: DemoApp
    let job: Job
    let lane: Priority
    let way: Way
    /// As its producer writes it.
    let text: String
    /// When it comes, counted from the beginning of the day.
    let moment: Duration
    let incident: Incident?

    var id: String { job.id }
}

/// An entry that a producer gets wrong, or adds although it must not count.
struct DemoEntry: Sendable {
    enum Fate: Sendable { case letter, duplicate }

    let app: DemoApp
    let lane: Priority
    let field: String
    let value: [UInt8]
    let moment: Duration
    let fate: Fate

    init(
        _ app: DemoApp, _ value: String, bytes: [UInt8]? = nil, field: String = "job", lane: Priority = .normal,
        at moment: Duration = .zero, becoming fate: Fate = .letter
    ) {
        self.app = app
        self.lane = lane
        self.field = field
        self.value = bytes ?? Array(value.utf8)
        self.moment = moment
        self.fate = fate
    }
}
