import Queue
import Redis
import Refunds

/// What concerns the app rather than one of its jobs: pauses, tokens, alarms, and the server itself.
extension Walk {
    // MARK: Apple's mood

    /// Each walk has its own kind of trouble, which comes and goes.
    func changeMood() {
        let trouble: PretendApple.Mood =
            switch seed % 4 {
            case 0: .down
            case 1: .suspicious(random.pick(Model.runs.keys.sorted()) ?? 0)
            case 2: .denying(random.chance(30) ? random.pick(minds.keys.sorted()) : nil)
            default: random.chance(50) ? .good : .strange(random.pick([302, 403]) ?? 302)
            }
        apple.mood = apple.mood == .good ? trouble : .good
        say("Apple's mood is \(apple.mood)")
    }

    // MARK: Tokens

    /// What our workers do about an answer that is about the app, by the one function that decides it.
    func judge(_ status: Int, _ worker: String, _ grip: Mind.Grip) -> Disposition {
        let refused = minds[worker]?.refusedToken
        return disposition(
            of: .response(status: status, errorCode: nil, retryAfter: [], date: nil, isReadable200: false),
            operation: grip.job.operation, idIsOpen: grip.job.isOpen,
            freshTokenWasRefused: refused.map { $0 != grip.token } ?? false, delayMs: 0, nowMs: now / 1000
        ).disposition
    }

    /// A worker's token is dropped when it is refused; any other answer clears it.
    func noteToken(_ reply: PretendApple.Reply, _ worker: String, _ grip: Mind.Grip) {
        guard var mind = minds[worker] else { return }
        switch reply {
        case .unauthorized:
            mind.refusedToken = grip.token
            if mind.token == grip.token { mind.token += 1 }
        case .silence, .unsent: break
        default: mind.refusedToken = nil
        }
        minds[worker] = mind
    }

    /// Whether any other worker lives that could see whether a 401 is this one's own fault.
    func hasOthers(than worker: String) -> Bool { minds.keys.contains { $0 != worker } }

    // MARK: Pauses

    func pause() async throws {
        try await make(.pause) {
            let pause = try await self.world.queue.pause(reason: "manual", act: QueueWorld.agent)
            self.say("pause")
            let isNew = self.model.pause("manual")
            try self.require(pause.isNew == isNew, "a pause was new: \(pause.isNew)")
            try self.require(pause.number == self.model.pauses, "pause \(pause.number), not \(self.model.pauses)")
            return {}
        }
    }

    func resume(isSafe: Bool = false) async throws {
        let number = model.paused ? model.pauses : nil
        try await make(.resume, isSafe: isSafe) {
            let wasPaused = try await self.world.queue.resume(act: QueueWorld.agent)
            self.say("resume")
            let expected = self.model.resume()
            try self.require(wasPaused == expected, "resume found it paused: \(wasPaused)")
            return {}
        }
        guard let number, !model.paused, random.chance(60) else { return }
        try await redriveLetters(of: number)
    }

    /// What a resume offers: one redrive of all letters that led to the pause.
    private func redriveLetters(of pause: Int) async throws {
        let found = try await world.queue.deadLetters().filter { $0.pause == "\(pause)" }.map(\.id).sorted()
        let expected = model.jobs.values.filter { $0.state == "dead" && $0.pause == pause }.map(\.id).sorted()
        try require(found == expected, "the letters of pause \(pause) are \(found), not \(expected)")
        for id in found { try await redrive(id) }
    }

    // MARK: Alarms

    /// One alarm in a worker's hands: taken, then told, then struck off; it may die before each.
    func tell(_ worker: String) async throws {
        guard let alarm = minds[worker]?.alarm else { return try await takeAlarm(worker) }
        told[alarm.entryId, default: 0] += 1
        let takeovers = takenOver[alarm.entryId] ?? 0
        try require((told[alarm.entryId] ?? 0) <= 1 + takeovers, "\(alarm.kind) was told twice")
        say("\(worker) tells \(alarm.kind)")
        let index = census.alerts.firstIndex { $0.entry == alarm.entryId }
        switch random.weighted([(80, 0), (8, 1), (6, 2), (6, 3)]) {
        case 0:
            try await world.queue.told(alarm)
            if let index { model.alarms.remove(at: index) }
            minds[worker]?.alarm = nil
        case 1: kill(worker)
        // It dies in the middle: one of the two words gets through, whichever comes first.
        case let half:
            let word: RedisWord = half == 2 ? "-xack" : "-xdel"
            try await world.send("ACL", "SETUSER", "default", word)
            let wasTold: Void? = try? await world.queue.told(alarm)
            try await world.send("ACL", "SETUSER", "default", half == 2 ? "+xack" : "+xdel")
            try require(wasTold == nil, "told says nothing of its failure")
            census = try await world.census()
            if let index, !census.alerts.contains(where: { $0.entry == alarm.entryId }) {
                model.alarms.remove(at: index)
                ghosts += 1
            }
            kill(worker)
        }
        try await examine()
    }

    private func takeAlarm(_ worker: String) async throws {
        // Patience is of the server's own time: here it is over at once where the holder is dead or stopped, else never.
        let pending = model.alarms.firstIndex { $0.holder != nil }
        let holder = pending.flatMap { model.alarms[$0].holder }
        let isGone = holder.map { name in minds[name].map { $0.frozenUntil > step } ?? true } ?? false
        let isImpatient = isGone && random.chance(60)
        let new = model.alarms.firstIndex { $0.holder == nil }
        var expected = isImpatient ? pending ?? new : new
        let taken = try await world.queue.takeAlarms(
            worker: worker, patience: isImpatient ? .zero : .seconds(1000), limit: 1)
        say("\(worker) takes \(taken.map(\.kind))")
        if isImpatient, ghosts > 0, taken.first?.entryId != expected.map({ census.alerts[$0].entry }) {
            // Redis met an entry that was deleted and not acknowledged, which took the place of the one to be claimed.
            ghosts -= 1
            expected = new
        }
        try require(
            taken.map(\.entryId) == (expected.map { [census.alerts[$0].entry] } ?? []), "\(worker) took \(taken)")
        guard let index = expected, let alarm = taken.first else { return }
        if model.alarms[index].holder != nil { takenOver[alarm.entryId, default: 0] += 1 }
        model.alarms[index].holder = worker
        if random.chance(15) { return kill(worker) }
        minds[worker]?.alarm = alarm
    }

    /// At the end of a walk everything is told.
    func tellTheRest() async throws {
        for alarm in try await world.queue.takeAlarms(worker: "closer", patience: .zero, limit: 1000) {
            told[alarm.entryId, default: 0] += 1
            try await world.queue.told(alarm)
        }
        model.alarms = []
        try await examine()
        try require(raised == Set(told.keys), "raised were \(raised.count) alarms, told \(told.count)")
    }

    // MARK: The server

    /// Redis dies as by a power cut, while producers are enqueueing, and comes back on its log as another run.
    func killRedis() async throws {
        guard let server else { return }
        let free = (0..<3).map { "late-\(step)-\($0)" }
        let new = try free.map { try world.job($0, transaction: "T-\($0)", skus: ["a"], priority: .normal) }
        let queue = world.queue
        let before = runId
        try await withThrowingTaskGroup(of: Void.self) { group in
            // What fails, or comes only after the restart, was not acknowledged: the producer repeats it below.
            for job in new { group.addTask { _ = try? await queue.enqueue(job) } }
            await server.kill9()
            try await server.start()
            try await group.waitForAll()
        }
        for job in new {
            switch try await queue.enqueue(job) {
            case .enqueued, .duplicate(.queued, _): break
            case let entry: throw fail("\(job.id) was repeated after the restart: \(entry)")
            }
            model.jobs[job.id] = modelJob(job, lane: job.priority)
            jobs[job.id] = job
            expected[job.id] = .stream(job.priority.rawValue)
        }
        runId = try await world.runId()
        restarts += 1
        say("Redis was killed and is \(runId.prefix(6))")
        try require(runId != before, "a new server has the old run id")
        try await examine()
        // A restart takes longer than that: no departure after it bears the time of one before.
        try await pass(1000)
    }

    // MARK: The neighbour

    /// Another app on the same server, with a job under way and one that waits.
    func welcomeNeighbour() async throws {
        try await world.setClock(now - 3_000_000)
        _ = try await neighbour.lease(slots: 0, runId: runId)
        try await world.setClock(now)
        for id in ["n-1", "n-2"] { try await neighbour.enqueue(id) }
        stranger = try await neighbour.lease(slots: 1, runId: runId).jobs.first
        neighbourBefore = try await neighbour.census()
    }

    /// Whatever befell this app, nothing moved there.
    func visitNeighbour() async throws {
        let census = try await neighbour.census()
        try require(
            census.jobs == neighbourBefore.jobs && census.gate == neighbourBefore.gate
                && census.departures == neighbourBefore.departures && census.places == neighbourBefore.places,
            "the neighbour was touched: \(census.gate)")
        let lease = try await neighbour.lease(slots: 10, runId: runId)
        try require(lease.pausedFor == nil && lease.blockedUntilMicroseconds == nil, "the neighbour sends nothing")
    }
}
