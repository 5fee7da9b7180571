/// What the moves do, by the contract and without Redis: the other opinion that a walk compares with.
struct Model {
    var jobs: [String: ModelJob] = [:]
    /// Redis' clock, which somebody may set.
    var now: Int64
    /// True time, which only passes.
    var steady: Int64
    /// When the clock was last noticed to have been set, by Redis' clock.
    var stepped: Int64?
    /// What the clock would show had it not been set back, each time that it was.
    var behind: [Int64] = []
    var misbelief: Misbelief?
    /// Every departure that left or may have left, in the order of their leaving, since the window was last taken as full,
    /// which counts as N of them.
    var departures: [Int64] = []
    var runId: String?
    var blockedUntil: Int64 = 0
    /// The reason of the pause that stands, and how many there have been.
    var pausedFor: String?
    var pauses = 0
    /// The run of suspects so far, and the one that counts within an hour.
    var suspects: [Sight] = []
    var funds: [Sight] = []
    /// The worker that alone saw a fresh token refused.
    var refusedBy: String?
    var refusedAt: Int64 = 0
    /// What nobody has told yet, oldest first.
    var alarms: [Untold] = []
    /// What the books should hold that is about no job.
    var events: [String: Int] = [:]
    /// Raw entries that nobody has moved yet, by lane and id.
    var raw: Set<String> = []
    var letters = 0

    /// Unclear answers in a row, and over which transactions; five over three close the gate.
    var silences = 0
    var silentTransactions: Set<String> = []
    /// While Apple is down: the next probe, the step of its back-off, and since when.
    var probeAt: Int64?
    var probeStep: Int64 = 0
    var downSince: Int64 = 0

    let permits = 5
    let window: Int64 = 1_000_000
    let gap: Int64 = 1_025_000
    let lease: Int64 = 60_000_000
    let timeout: Int64 = 30_000_000
    /// One call takes no more leases away.
    let lostAtOnce = 16
    /// No block outlasts this at a server that forgot: 75 minutes.
    let longestBlock: Int64 = 4_500_000_000

    // MARK: Entering

    enum Verdict { case enqueued, duplicate, conflict, alreadyRequested }

    func verdict(on job: ModelJob) -> Verdict {
        if let there = jobs[job.id] { return there.digest == job.digest ? .duplicate : .conflict }
        if !job.repeats, holder(against: job) { return .alreadyRequested }
        return .enqueued
    }

    func holder(against job: ModelJob) -> Bool {
        jobs.values.contains {
            $0.id != job.id && $0.transaction == job.transaction && $0.claimsItems && $0.conflicts(with: job.claims)
        }
    }

    // MARK: Leases

    func owns(_ id: String, _ fence: String) -> Bool { jobs[id]?.state == "sending" && jobs[id]?.fence == fence }

    /// The moment of the next permit.
    var nextPermit: Int64 {
        departures.count < permits ? now : departures[departures.count - permits] + gap
    }

    /// A worker asks for jobs: whether the clock was set forward, and the window is taken as full if what left in it is
    /// not known.
    mutating func meet(runId: String, _ seen: SeenClock = .unknown) -> Bool {
        let isStep = note(seen, newest: departures.last)
        guard self.runId != runId || isStep && misbelief != .gateOutlivesSteps else { return isStep }
        departures = Array(repeating: now, count: permits)
        blockedUntil = min(blockedUntil, now + longestBlock)
        if self.runId != nil { book("forgotten") }
        self.runId = runId
        return isStep
    }

    /// The leases that are over by now are lost; but if the clock was just set, each has a request's time-out to go.
    /// Gives back the lost ones.
    mutating func expire(isStep: Bool = false) -> [ModelJob] {
        let spared = isStep && misbelief != .leasesEndAtSteps ? now + timeout : 0
        for job in jobs.values where job.state == "sending" && job.leasedUntil < spared {
            change(job.id) { $0.leasedUntil = spared }
        }
        let over = jobs.values.filter { $0.state == "sending" && $0.leasedUntil <= now }
            .sorted { ($0.leasedUntil, $0.id) < ($1.leasedUntil, $1.id) }.prefix(lostAtOnce)
        for job in over { lose(job.id) }
        return Array(over)
    }

    mutating func lose(_ id: String) {
        change(id) {
            $0.unclear += 1
            $0.lost += 1
            $0.book("answer")
            $0.state = $0.lost > 2 ? "dead" : "unclear"
            if $0.lost > 2 { $0.book("dead") }
        }
    }

    mutating func depart(_ id: String, worker: String, fence: String) {
        departures.append(now)
        let (now, steady, lease) = (now, steady, lease)
        change(id) {
            $0.state = "sending"
            $0.held = steady
            $0.worker = worker
            $0.fence = fence
            $0.departed = now
            $0.leasedUntil = now + lease
            $0.sends += 1
            $0.attempts += 1
            $0.started += 1
            $0.book("request", $0.items)
        }
    }

    // MARK: Answers

    /// An answer that says nothing.
    mutating func hearNothing(of id: String) {
        guard let job = jobs[id] else { return }
        guard probeAt == nil else {
            if job.departed / 1000 < downSince / 1000 { return }
            probeStep = min(probeStep * 2, 60_000_000)
            probeAt = now + probeStep
            return change(id) { $0.attempts -= 1 }
        }
        silences += 1
        if silentTransactions.count < 5 { silentTransactions.insert(job.transaction) }
        guard silences >= 5, silentTransactions.count >= 3 else { return }
        probeStep = 2_000_000
        probeAt = now + probeStep
        downSince = now
        raise("appleDown")
        book("appleDown")
    }

    /// Any answer says that Apple is up; one that isn't 401 took the token, too.
    mutating func hearAnswer(_ status: Int? = nil) {
        if status != 401 { refusedBy = nil }
        silences = 0
        silentTransactions = []
        guard probeAt != nil else { return }
        probeAt = nil
        raise("appleBack")
        book("appleBack")
    }

    /// How many jobs may go at most, whatever the permits.
    var slots: Int {
        guard let probeAt else { return .max }
        return probeAt <= now && !jobs.values.contains { $0.state == "sending" } ? 1 : 0
    }

    mutating func leaveOpen(_ id: String) { change(id) { $0.unclear += 1 } }

    /// The request never left: permit and attempt come back.
    mutating func takeBack(_ id: String) {
        guard let job = jobs[id] else { return }
        if let index = departures.lastIndex(of: job.departed) { departures.remove(at: index) }
        change(id) {
            $0.sends -= 1
            $0.attempts -= 1
        }
    }

    mutating func nextRound(_ id: String, _ ref: String) {
        change(id) {
            guard !$0.isOpen else { return }
            $0.ref = ref
            $0.round += 1
            $0.sends = 0
        }
    }

    mutating func rest(_ id: String, as state: String) { change(id) { $0.state = $0.isOpen ? "unclear" : state } }

    mutating func change(_ id: String, _ body: (inout ModelJob) -> Void) {
        guard var job = jobs[id] else { return }
        body(&job)
        jobs[id] = job
    }
}
