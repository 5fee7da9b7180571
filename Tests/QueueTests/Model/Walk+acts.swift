import Queue
import Redis
import Refunds

extension Walk {
    func withdraw() async throws {
        // Often those whose turn has just come: others may wait behind them.
        let turned = called.filter { if case .ready = census.places[$0]?.first { true } else { false } }.sorted()
        let all = model.jobs.keys.sorted()
        called = []
        // Or one of a run of suspects that was redriven meanwhile.
        let again = model.suspects.map(\.job).filter { model.jobs[$0]?.state == "queued" }
        let few = random.chance(50) && !again.isEmpty ? again : turned
        let ids = (random.chance(70) && !few.isEmpty ? few : all).shuffled(using: &random)
            .prefix(random.number(1...2))
        guard !ids.isEmpty else { return }
        try await make(.withdraw) {
            let verdicts = try await self.world.queue.withdraw(Array(ids), act: QueueWorld.agent)
            self.say("withdraw \(verdicts)")
            for (id, verdict) in verdicts {
                guard let job = self.model.jobs[id] else { throw self.fail("\(id) vanished") }
                let state = JobState(rawValue: job.state) ?? .queued
                let expected: Withdrawal =
                    job.isOpen ? .open : state == .queued || state == .waiting ? .withdrawn : .notWithdrawable(state)
                try self.require(verdict == expected, "withdraw of \(id) said \(verdict), not \(expected)")
                guard verdict == .withdrawn else { continue }
                self.model.change(id) {
                    $0.state = "dead"
                    $0.book("dead")
                    $0.book("withdrawn")
                }
                self.expected[id] = .dead
            }
            return {}
        }
    }

    func redrive() async throws {
        let candidates = model.jobs.keys.sorted().filter {
            model.jobs[$0]?.state == "dead" || random.chance(5)
        }
        let ofRun = model.suspects.map(\.job).filter { model.jobs[$0]?.state == "dead" }
        guard let id = random.pick(random.chance(40) && !ofRun.isEmpty ? ofRun : candidates) else { return }
        try await redrive(id, mayMend: true)
    }

    func redrive(_ id: String, mayMend: Bool = false) async throws {
        guard let original = jobs[id] else { return }
        var mended: Job?
        if mayMend, original.operation == .refund, random.chance(25) {
            let line = original.originalTransactionId.map { #","originalTransactionId":"\#($0)""# } ?? ""
            let repeats = original.allowRepeat ? #","allowRepeat":true"# : ""
            mended = try world.job(
                id, transaction: original.transactionId, skus: [random.pick(["a", "d", "e"]) ?? "d"],
                priority: original.priority, line + repeats)
        }
        try await make(.redrive) {
            guard let job = self.model.jobs[id] else { throw self.fail("\(id) vanished") }
            let found = try await self.world.queue.redrive(id, act: QueueWorld.agent, mended: mended)
            self.say("redrive \(id), mended: \(mended != nil): \(found)")
            var new = job
            if let mended { new.claims = Set(mended.request.items.map { "s:" + $0.sku }) }
            let isBarred = !job.isOpen && !job.repeats && self.model.holder(against: new)
            switch found {
            case .notDead(let state):
                try self.require(state.rawValue == job.state && job.state != "dead", "redrive of \(id) said \(found)")
                return {}
            case .open:
                try self.require(job.state == "dead" && job.isOpen && mended != nil, "redrive said \(found)")
                return {}
            case .alreadyRequested:
                try self.require(job.state == "dead" && isBarred, "redrive of \(id) said \(found)")
                return {}
            case .missing: throw self.fail("redrive of \(id) finds nothing")
            case .queued(let reference):
                try self.require(
                    job.state == "dead" && !isBarred && (mended == nil || !job.isOpen), "redrive of \(id) said \(found)"
                )
                self.redriven(new, mended)
                try self.require(reference.text == self.model.jobs[id]?.ref, "redrive of \(id) gave \(reference)")
            }
            return {}
        }
    }

    private func redriven(_ job: ModelJob, _ mended: Job?) {
        let content = mended?.contentDigest ?? job.content
        let next = world.reference(job.id, round: job.round + 1, digest: content).text
        model.jobs[job.id] = job
        if let mended {
            model.change(job.id) {
                $0.items = mended.request.items.count
                $0.content = content
            }
        }
        if mended != nil || job.sends > 0 { model.nextRound(job.id, next) }
        model.change(job.id) {
            $0.lost = 0
            $0.attempts = 0
            $0.book("redriven")
        }
        model.rest(job.id, as: "queued")
        // What may still be under way is waited out.
        let over = model.repeatDue(job)
        let waits = job.isOpen && over > now
        expected[job.id] = waits ? .later : .stream(job.lane)
        if waits { expectedDue[job.id] = over }
    }

    func discard() async throws {
        if let letter = random.pick(census.letterRecords.filter { $0.value["state"] == "dead" }.keys.sorted()),
            random.chance(50)
        {
            return try await make(.discard) {
                let found = try await self.world.queue.discard(letter, act: QueueWorld.agent, finding: nil)
                let isThere = self.census.letterRecords[letter]?["state"] == "dead"
                self.say("discard \(letter): \(found)")
                try self.require((found == .discarded) == isThere, "discard of \(letter) said \(found)")
                if isThere { self.model.letters -= 1 }
                return {}
            }
        }
        guard let id = random.pick(model.jobs.values.filter { $0.state == "dead" }.map(\.id).sorted()) else { return }
        try await discard(id, states: random.chance(70))
    }

    /// A person who states a finding has looked at Apple, and waited until nothing of the job can be under way.
    func discard(_ id: String, states isStated: Bool, isSafe: Bool = false) async throws {
        guard let job = model.jobs[id] else { throw fail("\(id) vanished") }
        let isHeld = minds.values.contains { $0.grips.contains { $0.job.id == id && $0.reply == nil } }
        guard !isHeld, !apple.underWay.contains(where: { $0.job == id }) else { return }
        let finding: Finding? = job.isOpen && isStated ? (apple.isPaid(id) ? .refunded : .notRefunded) : nil
        try await make(.discard, isSafe: isSafe) {
            guard let job = self.model.jobs[id] else { throw self.fail("\(id) vanished") }
            let found = try await self.world.queue.discard(id, act: QueueWorld.agent, finding: finding)
            self.say("discard \(id), finding \(finding?.rawValue ?? "none"): \(found)")
            let expected: Discard =
                job.state != "dead" ? .notDead : job.isOpen && finding == nil ? .open : .discarded
            try self.require(found == expected, "discard of \(id) said \(found), not \(expected)")
            guard found == .discarded else { return {} }
            self.model.change(id) {
                if job.isOpen { $0.finding = finding == .refunded ? .refunded : .notRefunded }
                $0.state = "discarded"
                $0.unclear = 0
                $0.book("discarded")
            }
            self.expected[id] = .some(nil)
            return {}
        }
    }

    /// Nobody but the scripts takes entries out of lanes here, so there is nothing to tell.
    func audit() async throws {
        try await make(.audit) {
            let raised = try await self.world.queue.audit(strays: [])
            try self.require(raised == 0, "audit raised \(raised) alarms")
            return {}
        }
    }
}
