import Queue
import Redis
import Refunds

extension Walk {
    private func randomJob() throws -> Job {
        if let known = random.pick(jobs.keys.sorted()), let job = jobs[known], random.chance(10) {
            // A producer's repeat, or somebody else's job under the same id.
            guard random.chance(50) else { return job }
            return try world.job(known, transaction: job.transactionId, skus: ["x"], priority: job.priority)
        }
        if let known = random.pick(jobs.keys.sorted()), let job = jobs[known], random.chance(20) {
            // A second request for what another job has asked for.
            return try world.job(
                "job-\(jobs.count + 1)", transaction: job.transactionId,
                skus: job.operation == .refund ? job.request.items.map(\.sku) : ["a"], operation: job.operation,
                priority: random.pick(Priority.allCases) ?? .normal,
                random.chance(60) ? #","allowRepeat":true"# : "")
        }
        // Where the clock is set, the gate has to have something to hold back: many jobs stand in nobody's way.
        let isAlone = setsClock && random.chance(60)
        let transaction =
            isAlone ? "P\(jobs.count + 1)" : random.pick(["T1", "T2", "T3", "T4", "T5", "O"]) ?? "T1"
        var more = random.chance(30) ? #","allowRepeat":true"# : ""
        if !isAlone, transaction != "O", random.chance(30) { more += #","originalTransactionId":"O""# }
        if random.chance(10) { more += #","notBefore":\#(now / 1000 + Int64(random.number(1...40_000)))"# }
        let operation: Refunds.Operation = random.weighted([(80, .refund), (6, .revoke), (14, .cancel)])
        let skus = random.weighted([(4, ["a"]), (4, ["b"]), (4, ["c"]), (4, ["d"]), (2, ["a", "b"])])
        return try world.job(
            "job-\(jobs.count + 1)", transaction: transaction, skus: skus, operation: operation,
            priority: random.pick(Priority.allCases) ?? .normal, more)
    }

    func modelJob(_ job: Job, lane: Priority) -> ModelJob {
        let claims: Set<String> =
            switch job.operation {
            case .refund: Set(job.request.items.map { "s:" + $0.sku })
            case .revoke: ["*"]
            case .cancel: ["cancel"]
            }
        return ModelJob(
            id: job.id, transaction: job.transactionId, line: job.line, lane: lane.rawValue, operation: job.operation,
            claims: claims, repeats: job.allowRepeat, items: max(1, job.request.items.count),
            digest: job.contentDigest, content: job.contentDigest,
            ref: job.referenceId(round: 0, environment: world.queue.environment).text)
    }

    private func isDueLater(_ job: Job) -> Bool { job.notBefore.map { $0 * 1000 > now } ?? false }

    func enqueue() async throws {
        let job = try randomJob()
        try await make(.enqueue) {
            let new = self.modelJob(job, lane: job.priority)
            let verdict = self.model.verdict(on: new)
            let entry = try await self.world.queue.enqueue(job)
            self.say("enqueue \(job.id) \(new.lane) \(new.claims) of \(new.lines): \(entry)")
            switch (entry, verdict) {
            case (.enqueued(let reference), .enqueued):
                try self.require(reference.text == new.ref, "\(job.id) got \(reference), not its derived id")
                self.model.jobs[job.id] = new
                self.jobs[job.id] = job
                self.expected[job.id] = self.isDueLater(job) ? .later : .stream(new.lane)
            case (.duplicate(let state, _), .duplicate):
                try self.require(
                    state.rawValue == self.model.jobs[job.id]?.state, "\(job.id) is a duplicate in state \(state)")
            case (.conflict, .conflict), (.alreadyRequested, .alreadyRequested): break
            default: throw self.fail("enqueue of \(job.id) said \(entry), not \(verdict)")
            }
            return {}
        }
    }

    /// A producer's own XADD; not a move.
    func produce() async throws {
        let lane = random.pick(Priority.allCases) ?? .normal
        let job = try randomJob()
        let text = random.chance(25) ? "{broken" : job.json.text
        let id = try await world.produce(text, to: lane)
        let key = "\(lane) \(id)"
        rawTexts[key] = text
        model.raw.insert(key)
        say("produce \(text == "{broken" ? "nonsense" : job.id) to \(lane)")
        try await examine()
    }

    func adopt(_ worker: String, isSafe: Bool = false) async throws {
        guard let entries = minds[worker]?.raw, !entries.isEmpty else { return }
        try await make(.adopt, by: worker, isSafe: isSafe) {
            var judged: [(RawEntry, Judgement)] = []
            for entry in entries {
                let text = self.rawTexts["\(entry.priority) \(entry.entryId)"] ?? ""
                try self.require(
                    entry.job.map { String(decoding: $0, as: UTF8.self) } == text, "a raw entry lost its text")
                judged.append((entry, self.judgement(of: text, lane: entry.priority)))
            }
            let verdicts = try await self.world.queue.adopt(judged)
            self.say("\(worker) adopts \(verdicts)")
            for ((entry, judgement), verdict) in zip(judged, verdicts) {
                let expected = self.adoption(of: entry, judgement)
                try self.require(verdict == expected, "adopt said \(verdict), not \(expected)")
            }
            return { self.minds[worker]?.raw = [] }
        }
    }

    private func judgement(of text: String, lane: Priority) -> Judgement {
        switch Job.validate(Array(text.utf8), app: world.rules, from: .lane(lane)) {
        case .success(let job): .job(job, text: Array(text.utf8))
        case .failure: .letter(reason: "invalid", code: "", name: "", hint: "", text: #"{"raw":"e2Jyb2tlbg=="}"#)
        }
    }

    /// Tells the model and gives what it expects.
    private func adoption(of entry: RawEntry, _ judgement: Judgement) -> Adoption {
        guard model.raw.remove("\(entry.priority) \(entry.entryId)") != nil else { return .gone }
        guard case .job(let job, _) = judgement else {
            model.letters += 1
            return .letter
        }
        let new = modelJob(job, lane: entry.priority)
        switch model.verdict(on: new) {
        case .enqueued:
            model.jobs[job.id] = new
            jobs[job.id] = job
            expected[job.id] = isDueLater(job) ? .later : .ready(new.lane)
            return .adopted
        case .duplicate: return .duplicate
        case .conflict, .alreadyRequested:
            model.letters += 1
            return .letter
        }
    }
}
