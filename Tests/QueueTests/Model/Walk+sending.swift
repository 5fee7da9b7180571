import Queue
import Redis
import Refunds

extension Walk {
    func lease(_ worker: String, slots: Int) async throws -> (() -> Void) {
        let isAlone = minds[worker]?.grips.isEmpty == true
        let read = readClock(worker)
        let carriedOn = steady + read.ahead
        let lease = try await world.lease(
            worker: worker, slots: slots, runId: runId, isAlone: isAlone, expected: carriedOn, sawStep: read.sawStep)
        say("\(worker) leases \(lease.jobs.map(\.id)) of \(slots), raw \(lease.raw.count)")
        let isStep = model.meet(runId: runId, read.sawStep ? .stepped : .expected(carriedOn))
        if isStep { untoldSteps = [] }
        let isVoid = now > carriedOn
        // A step that is small the script can't see before the worker does.
        let isUnseen = isVoid && !isStep && now - carriedOn <= Model.obviousStep
        for job in model.expire(isStep: isStep) where !isUnseen && !isBlind(read, within: model.timeout) {
            try require(steady - job.held >= model.timeout, "\(job.id) was taken from \(job.worker) before its time")
        }
        let clock = Mind.Clock(ahead: ahead, setsBefore: read.setsBefore, sawStep: isVoid)
        try require(lease.missing == nil, "lease misses \(lease.missing ?? "")")
        try require(lease.ailment == nil, "lease met an error: \(lease.ailment ?? "")")
        try require((lease.pausedFor != nil) == model.paused, "lease says paused: \(lease.pausedFor ?? "no")")
        if model.paused {
            try require(lease.jobs.isEmpty && lease.raw.isEmpty, "a paused app gave work")
            return { self.minds[worker]?.clock = clock }
        }
        for entry in lease.raw {
            try require(
                model.raw.contains("\(entry.priority) \(entry.entryId)"), "a raw entry came back: \(entry.entryId)")
        }
        let isBlocked = model.blockedUntil > now
        try require((lease.blockedUntilMicroseconds != nil) == isBlocked, "lease and model disagree on the block")
        try require(!isBlocked || lease.jobs.isEmpty, "a blocked app gave jobs")
        try require(lease.jobs.count <= slots, "more jobs than slots")
        let allowed = model.slots
        try require(lease.jobs.count <= allowed, "\(lease.jobs.count) jobs while Apple is down")
        let suspect = lease.jobs.first(where: \.mustBeAlone)
        try require(suspect == nil || isAlone && lease.jobs.count == 1, "a job that cost two leases isn't alone")
        for job in lease.jobs {
            try check(job, isSent: !isVoid, isBlind: isBlind(clock, within: model.timeout))
            model.depart(job.id, worker: worker, fence: job.fence)
            expected[job.id] = .lease
        }
        mustHaveEmptied =
            !isBlocked && suspect == nil && allowed == .max && lease.jobs.count < slots && model.nextPermit <= now
            && !lease.hasMore
        let (taken, isGateBlind) = (steady, isBlind(clock, within: model.gap))
        return {
            let token = self.minds[worker]?.token ?? 0
            self.minds[worker]?.clock = clock
            self.minds[worker]?.grips += lease.jobs.map {
                Mind.Grip(job: $0, token: token, taken: taken, isVoid: isVoid, isBlind: isGateBlind)
            }
            self.minds[worker]?.raw += lease.raw
        }
    }

    /// What must hold for a job that was just handed out.
    private func check(_ job: LeasedJob, isSent: Bool, isBlind: Bool) throws {
        guard let known = model.jobs[job.id] else { throw fail("lease gave \(job.id), which nobody enqueued") }
        try require(
            ["queued", "waiting", "unclear"].contains(known.state), "lease gave \(job.id), which is \(known.state)")
        try require(model.nextPermit <= now, "\(job.id) got a permit \(model.nextPermit - now) µs too early")
        for other in model.jobs.values where other.id != job.id && other.ownsLines {
            try require(
                other.lines.isDisjoint(with: known.lines),
                "\(job.id) is sent while \(other.id) is \(other.state) with \(other.unclear) unclear sends")
        }
        if isSent, isBlind { overtake(known.lines) }
        for request in apple.underWay where !request.isOvertaken && !request.lines.isDisjoint(with: known.lines) {
            try require(
                !isSent || request.since + model.timeout <= steady,
                "\(job.id) is sent while a request of \(request.job) may still be under way")
        }
        if census.places[job.id]?.first == .later, let due = census.score(of: job.id, in: "later") {
            try require(Int64(due) <= now, "\(job.id) is sent \(Int64(due) - now) µs before it is due")
        }
        try require(job.referenceId.text == known.ref, "\(job.id) goes under \(job.referenceId), not \(known.ref)")
        try require(job.attempts == known.attempts + 1, "\(job.id): \(job.attempts) attempts")
        try require(job.sends == known.sends + 1, "\(job.id): \(job.sends) sends")
        try require(job.unclearSends == known.unclear, "\(job.id): \(job.unclearSends) unclear sends")
        try require(job.round == known.round, "\(job.id): round \(job.round)")
        try require(
            (Int(job.fence) ?? 0) > (Int(census.jobs[job.id]?["fence"] ?? "0") ?? 0), "\(job.id): fence \(job.fence)")
        try require(ReferenceId(body: job.body)?.text == known.ref, "\(job.id): the body has another id")
        if let body = known.bodies[known.ref] {
            try require(body == job.body, "\(job.id): other bytes under the same id")
        }
        model.change(job.id) { $0.bodies[known.ref] = job.body }
    }

    /// Goes on with one of a worker's jobs: writes its request, or reports what came of it.
    func useGrip() async throws {
        guard let worker = busyWorker({ !$0.grips.isEmpty }), let grips = minds[worker]?.grips else { return }
        let index = random.number(0...grips.count - 1)
        let grip = grips[index]
        guard let reply = grip.reply else {
            // The last look before the wire: a permit is void half a guard after it was given.
            guard steady - grip.taken <= 12_500, !grip.isVoid, random.chance(92) else {
                return try await report(.unsent, worker, grip)
            }
            guard let job = model.jobs[grip.job.id] else { throw fail("\(grip.job.id) vanished") }
            let answer = apple.take(
                job, ref: grip.job.referenceId.text, departed: grip.job.departedMicroseconds, since: grip.taken,
                isOvertaken: grip.isOvertaken, from: worker, &random)
            minds[worker]?.grips[index].reply = answer
            if answer != .unsent { try count(grip) }
            return say("\(worker) writes \(grip.job.id) \(grip.job.referenceId.text.prefix(8)): \(answer)")
        }
        // An answer may be long in coming, and the lease be lost meanwhile.
        if reply == .success, random.chance(40) { return }
        let isLate = steady - grip.taken > model.timeout
        if isLate, reply != .success || random.chance(50) { return try await report(.silence, worker, grip) }
        try await report(reply, worker, grip)
    }

    private func count(_ grip: Mind.Grip) throws {
        written.append((steady, grip.isBlind))
        let last = written.suffix(model.permits + 1)
        guard last.count > model.permits, let first = last.first, !last.contains(where: \.isBlind) else { return }
        try require(steady - first.at > model.window, "six requests left within \(steady - first.at) µs")
    }

    private func report(_ reply: PretendApple.Reply, _ worker: String, _ grip: Mind.Grip) async throws {
        let job = grip.job
        apple.ended(job.id, departed: job.departedMicroseconds)
        // Workers of ours ask for a new id only where it is lawful. This one asks anywhere.
        let next: ReferenceId? =
            random.chance(50)
            ? world.reference(job.id, round: job.round + 1, digest: job.contentDigest) : nil
        let wait = Duration.milliseconds(
            random.number(0...random.weighted([(25, 2000), (5, 40_000), (2, 30_000_000)])))
        let ending: SendEnding = job.isOpen ? .unclear : .answered
        let learn: () -> Void = { self.minds[worker]?.grips.removeAll { $0.job == job } }
        if case .unauthorized = reply {} else { noteToken(reply, worker, grip) }
        switch reply {
        case .success: try await settle(together(with: grip, of: worker), worker)
        case .rejected:
            switch random.number(0...3) {
            case 0: try await bury(job, .answered, worker, learn)
            case 1 where job.isOpen: try await hold(job, .unclear, .answered, worker, learn)
            default: try await postpone(job, wait, .answered, next, .rejected, worker, learn)
            }
        case .suspect(let code):
            guard !job.isOpen || random.chance(30) else {
                return try await hold(job, .unclear, .answered, worker, learn)
            }
            try await bury(job, .answered, code: code, worker, learn)
        case .pendingRefund: try await hold(job, job.isOpen ? .unclear : .held, .answered, worker, learn)
        case .rateLimited: try await block(job, wait, ending, next, worker, learn)
        case .unauthorized, .strange:
            let status = if case .strange(let number) = reply { number } else { 401 }
            let disposition = judge(status, worker, grip)
            noteToken(reply, worker, grip)
            switch disposition {
            case .refreshToken: try await postpone(job, .zero, ending, next, .refused, worker, learn)
            case .pauseApp(let reason, _): try await pause(job, reason, status, ending, next, worker, learn)
            case .reconcile where job.isOpen: try await hold(job, .unclear, .answered, worker, learn)
            default: throw fail("\(status) means \(disposition)")
            }
        case .silence:
            switch random.number(0...9) {
            case 0...1: try await bury(job, .unclear, worker, learn)
            case 2: try await hold(job, .unclear, .unclear, worker, learn)
            case 3: try await hold(job, .held, .unclear, worker, learn)
            default: try await postpone(job, wait, .unclear, next, Self.silence, worker, learn)
            }
        case .garbage: try await hold(job, .unclear, .unclear, worker, learn)
        case .unsent:
            switch random.number(0...5) {
            case 0: try await postpone(job, wait, .unsent, nil, .notConnected, worker, learn)
            case 1: try await bury(job, .unsent, worker, learn)
            default: try await release(job, worker, learn)
            }
        }
    }

    /// What one call records: this answer, and now and then others that came to the worker in the same turn.
    private func together(with grip: Mind.Grip, of worker: String) -> [LeasedJob] {
        guard company.chance(70) else { return [grip.job] }
        let others = minds[worker]?.grips.filter { $0.reply == .success && $0.job != grip.job } ?? []
        for other in others {
            apple.ended(other.job.id, departed: other.job.departedMicroseconds)
            noteToken(.success, worker, other)
        }
        return inCompany([grip.job] + others.map(\.job))
    }

    /// In any order, now and then with one twice, or with one for a job that isn't there.
    func inCompany(_ jobs: [LeasedJob]) -> [LeasedJob] {
        var all = jobs
        if company.chance(30) { all += company.pick(jobs).map { [$0] } ?? [] }
        if company.chance(30) { all += stranger.map { [$0] } ?? [] }
        return all.shuffled(using: &company)
    }

    func settle(_ jobs: [LeasedJob], _ worker: String, isSafe: Bool = false) async throws {
        try await make(.settle, by: worker, isSafe: isSafe) {
            let results = try await self.world.queue.settle(
                jobs.map { Success($0, httpStatus: 200, signedTransaction: "signed", signedRenewal: nil) })
            try self.require(results.count == jobs.count, "\(results.count) results of \(jobs.count) answers")
            for (job, result) in zip(jobs, results) { try self.settled(job, result, worker) }
            return { self.minds[worker]?.grips.removeAll { jobs.contains($0.job) } }
        }
    }

    /// Tells the model of one answer, as if none had been recorded with it.
    private func settled(_ job: LeasedJob, _ result: Result<Settlement, QueueError>, _ worker: String) throws {
        guard job != stranger else {
            return try require((try? result.get()) == nil, "the answer to a job that isn't there was \(result)")
        }
        let found = try result.get()
        say("\(worker) settles \(job.id): \(found)")
        guard let known = model.jobs[job.id] else { throw fail("\(job.id) vanished") }
        let isForeign = known.ref != job.referenceId.text || known.state == "discarded"
        let isOver = ["accepted", "done"].contains(known.state)
        let end: Settlement =
            isForeign ? .foreign : isOver ? .already : known.operation == .cancel ? .done : .accepted
        try require(found == end, "settle of \(job.id) said \(found), not \(end)")
        if end != .already { model.change(job.id) { $0.book("answer") } }
        if end == .accepted || end == .done {
            model.hearAnswer()
            model.suspect(job.id, nil)
            model.change(job.id) {
                $0.state = end.rawValue
                $0.unclear = 0
            }
            expected[job.id] = end == .accepted ? .some(.followup) : .some(nil)
        }
    }

    private func agree(_ moved: Moved, _ job: LeasedJob, _ move: ScriptName, isOpen: Bool = false) throws -> Bool {
        let owns = model.owns(job.id, job.fence)
        try require((moved == .stale) == !owns, "\(move) of \(job.id) said \(moved), owner: \(owns)")
        guard owns else { return false }
        try require((moved == .refusedWhileOpen) == isOpen, "\(move) of \(job.id) said \(moved), open: \(isOpen)")
        return !isOpen
    }

    private func end(_ job: LeasedJob, _ ending: SendEnding, _ status: Int? = nil) {
        model.change(job.id) { $0.book("answer") }
        switch ending {
        case .unclear:
            model.leaveOpen(job.id)
            model.hearNothing(of: job.id)
        case .unsent: model.takeBack(job.id)
        case .answered: model.hearAnswer(status)
        }
    }

    private static let silence = AttemptResult("unclear")

    private func postpone(
        _ job: LeasedJob, _ wait: Duration, _ ending: SendEnding, _ next: ReferenceId?, _ result: AttemptResult,
        _ worker: String, _ learn: @escaping () -> Void
    ) async throws {
        try await make(.postpone, by: worker) {
            let isOpen = next != nil && (ending == .unclear || self.model.jobs[job.id]?.isOpen == true)
            let moved = try await self.world.queue.postpone(
                job, for: wait, ending: ending, next: next, result)
            self.say("\(worker) postpones \(job.id) \(ending), new id: \(next != nil): \(moved)")
            if try self.agree(moved, job, .postpone, isOpen: isOpen) {
                if result.result == "unclear" || ending != .unclear {
                    self.end(job, ending, result.httpStatus)
                } else {
                    self.model.change(job.id) { $0.book("answer") }
                    self.model.leaveOpen(job.id)
                    self.model.hearAnswer(result.httpStatus)
                }
                if let next { self.model.nextRound(job.id, next.text) }
                self.model.rest(job.id, as: "waiting")
                self.expected[job.id] = .later
                self.expectedDue[job.id] = self.now + wait.milliseconds * 1000
            }
            return moved == .refusedWhileOpen ? {} : learn
        }
    }

    private func hold(
        _ job: LeasedJob, _ state: JobState, _ ending: SendEnding, _ worker: String, _ learn: @escaping () -> Void
    ) async throws {
        try await make(.hold, by: worker) {
            let moved = try await self.world.queue.hold(
                job, as: state, ending: ending, lookingAgainAfter: .seconds(60), question: "q", .refused)
            self.say("\(worker) holds \(job.id) as \(state): \(moved)")
            if try self.agree(moved, job, .hold) {
                self.model.change(job.id) { $0.book("answer") }
                if ending == .unclear || state == .unclear && self.model.jobs[job.id]?.isOpen == false {
                    self.model.leaveOpen(job.id)
                }
                self.model.hearAnswer()
                self.model.change(job.id) {
                    $0.state = state.rawValue
                    $0.book("question")
                }
                self.expected[job.id] = .followup
            }
            return learn
        }
    }

    private func bury(
        _ job: LeasedJob, _ ending: SendEnding, code: Int64? = nil, _ worker: String, _ learn: @escaping () -> Void
    ) async throws {
        try await make(.bury, by: worker) {
            let result =
                code.map { AttemptResult("rejected", httpStatus: Int($0 / 10_000), errorCode: $0) }
                ?? (ending == .unclear ? Self.silence : .rejected)
            let moved = try await self.world.queue.bury(job, ending: ending, reason: "rejected", hint: "", result)
            self.say("\(worker) buries \(job.id) \(ending) \(code ?? 0): \(moved)")
            if try self.agree(moved, job, .bury) {
                self.end(job, ending)
                self.model.change(job.id) {
                    $0.state = "dead"
                    $0.book("dead")
                }
                if ending == .answered { self.model.suspect(job.id, code) }
                self.expected[job.id] = .dead
            }
            return learn
        }
    }

    private func release(_ job: LeasedJob, _ worker: String, _ learn: @escaping () -> Void) async throws {
        try await make(.release, by: worker) {
            let moved = try await self.world.queue.release(job, why: "late")
            self.say("\(worker) releases \(job.id): \(moved)")
            if try self.agree(moved, job, .release) { self.released(job.id) }
            return learn
        }
    }

    private func released(_ id: String) {
        model.takeBack(id)
        model.change(id) {
            $0.started -= 1
            $0.book("unsent")
        }
        model.rest(id, as: "queued")
        expected[id] = .ready(model.jobs[id]?.lane ?? "")
    }

    private func goBack(_ id: String, _ ending: SendEnding, _ next: ReferenceId?) {
        model.change(id) {
            $0.book("answer")
            $0.attempts -= 1
        }
        if ending == .unclear { model.leaveOpen(id) }
        if let next { model.nextRound(id, next.text) }
        model.rest(id, as: "queued")
        expected[id] = .ready(model.jobs[id]?.lane ?? "")
    }

    private func block(
        _ job: LeasedJob, _ wait: Duration, _ ending: SendEnding, _ next: ReferenceId?, _ worker: String,
        _ learn: @escaping () -> Void
    ) async throws {
        try await make(.block, by: worker) {
            let moved = try await self.world.queue.block(job, for: wait, ending: ending, next: next, .rateLimited)
            self.say("\(worker) blocks for \(job.id), new id: \(next != nil): \(moved)")
            // A 429 that the gate did not expect is an alarm, each further one of its block is not.
            if self.model.blockedUntil <= self.now { self.model.raise("rateLimited") }
            self.model.book("blocked")
            self.model.blockedUntil = max(self.model.blockedUntil, self.now + wait.milliseconds * 1000)
            self.model.hearAnswer()
            if try self.agree(moved, job, .block) { self.goBack(job.id, ending, next) }
            return learn
        }
    }

    private func pause(
        _ job: LeasedJob, _ reason: PauseReason, _ status: Int, _ ending: SendEnding, _ next: ReferenceId?,
        _ worker: String, _ learn: @escaping () -> Void
    ) async throws {
        let eye = reason == .unauthorized && hasOthers(than: worker) ? worker : nil
        try await make(.pause, by: worker) {
            let pause = try await self.world.queue.pause(
                reason: reason.rawValue, act: QueueWorld.agent, because: job, ending: ending, next: next, seenBy: eye,
                AttemptResult("refused", httpStatus: status))
            self.say("\(worker) pauses for \(job.id), \(reason), needs another: \(eye != nil): \(pause)")
            let verdict: Pause.Verdict =
                switch self.model.refuse(reason.rawValue, seenBy: eye) {
                case true?: .paused
                case false?: .wasPaused
                case nil: .waitsForSecondWorker
                }
            try self.require(pause.verdict == verdict, "a pause was \(pause.verdict), not \(verdict)")
            self.model.hearAnswer(status)
            if self.model.owns(job.id, job.fence) { self.goBack(job.id, ending, next) }
            return learn
        }
    }

    func renew() async throws {
        guard let worker = busyWorker({ !$0.grips.isEmpty }), let grips = minds[worker]?.grips else { return }
        // Now and then with a fence that was never given, or was once.
        let isWrong = random.chance(25)
        let holding = grips.map { ($0.job.id, isWrong ? "\((Int($0.job.fence) ?? 0) - 1)" : $0.job.fence) }
        try await make(.renew, by: worker) {
            let lost = try await self.world.queue.renew(
                worker: worker, lease: QueueWorld.leaseTime, holding: holding)
            let expected = holding.filter { !self.model.owns($0.0, $0.1) }.map(\.0)
            try self.require(lost == expected, "renew lost \(lost), not \(expected)")
            self.say("\(worker) renews \(grips.map(\.job.id)), lost \(lost)")
            for (id, fence) in holding where self.model.owns(id, fence) {
                let (until, steady) = (self.now + self.model.lease, self.steady)
                self.model.change(id) {
                    $0.leasedUntil = until
                    $0.held = steady
                }
            }
            guard !isWrong else { return {} }
            // A lost job that was not written goes from mind; the answer of one that was is still evidence.
            return { self.minds[worker]?.grips.removeAll { $0.reply == nil && lost.contains($0.job.id) } }
        }
    }

    func reclaim() async throws {
        // Sometimes a worker is taken for dead that lives.
        guard
            let worker = random.chance(50)
                ? dead.last : random.pick(minds.filter { !$0.value.grips.isEmpty }.keys.sorted())
        else { return }
        // Whoever takes over carries the clock on as `lease` does.
        let heir = minds.keys.sorted().first { minds[$0]?.frozenUntil ?? 0 <= step }
        let expected = heir.flatMap { minds[$0]?.clock }.map { steady + $0.ahead }
        try await make(.reclaim) {
            let taken = try await self.world.queue.reclaim(from: worker, expected: expected)
            _ = self.model.note(expected.map { .expected($0) } ?? .unknown)
            let lost = self.model.jobs.values.filter { $0.state == "sending" && $0.worker == worker }
            self.say("\(worker) is dead: \(lost.map(\.id))")
            try self.require(taken == lost.count, "reclaim took \(taken), not \(lost.count)")
            for job in lost {
                self.model.lose(job.id)
                let isDead = self.model.jobs[job.id]?.state == "dead"
                self.expected[job.id] = isDead ? .dead : .later
                if !isDead { self.expectedDue[job.id] = self.model.repeatDue(job) }
            }
            return {}
        }
    }

    /// What a lost answer of `lease` gave is handed back by the one who never saw it.
    func disown(_ worker: String) async throws {
        let known = Set(minds[worker]?.grips.map(\.job.id) ?? [])
        let own = model.jobs.values.filter { $0.state == "sending" && $0.worker == worker && !known.contains($0.id) }
        let count = try await world.queue.disown(worker: worker, except: known)
        say("\(worker) disowns \(own.map(\.id))")
        try require(count == own.count, "\(count) disowned, not \(own.count)")
        for job in own { released(job.id) }
        try await examine()
    }
}
