import Queue
import Redis
import Refunds
import Testing

/// What every move does when Redis itself is in trouble.
@Suite struct TroubleTests {
    private func fillMemory(_ world: QueueWorld) async throws {
        try await world.send("CONFIG", "SET", "maxmemory", "1")
    }

    private func isRefused(_ body: () async throws -> Void) async -> Bool {
        do {
            try await body()
            return false
        } catch {
            return (error as? QueueError)?.redisError?.kind == .oom
        }
    }

    @Test func `a full Redis takes no work and lets none leave, and everything stays where it is`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            _ = try await world.queue.bury(job, ending: .answered, reason: "rejected", hint: "", .rejected)
            try await world.enqueue("case-2")
            try await world.produce("raw", to: .bulk)
            let raw = try #require(try await world.lease(slots: 0).raw.first)
            let before = try await world.snapshot()
            try await fillMemory(world)
            #expect(await isRefused { try await world.enqueue("case-3") })
            #expect(await isRefused { _ = try await world.lease() })
            #expect(await isRefused { _ = try await world.queue.redrive("case-1", act: QueueWorld.agent) })
            #expect(
                await isRefused {
                    let judgement = Judgement.letter(reason: "malformed", code: "", name: "", hint: "", text: "null")
                    _ = try await world.queue.adopt([(raw, judgement)])
                })
            try await world.send("CONFIG", "SET", "maxmemory", "0")
            #expect(try await world.snapshot() == before)
            try await world.advance(.seconds(2))
            #expect(try await world.lease().jobs.map(\.id) == ["case-2"])
        }
    }

    @Test func `a full Redis still records what happened`() async throws {
        try await withQueue { world in
            var jobs: [LeasedJob] = []
            for number in 0..<8 { try await world.enqueue("case-\(number)") }
            jobs = try await world.lease(slots: 8, rate: GateRate(requestsPerSecond: 8)).jobs
            try #require(jobs.count == 8)
            try await world.enqueue("waiting")
            try await fillMemory(world)
            let queue = world.queue
            let act = QueueWorld.agent
            #expect(
                try await queue.settle(jobs[0], httpStatus: 200, signedTransaction: "s", signedRenewal: "r")
                    == .accepted)
            #expect(
                try await queue.postpone(jobs[1], for: .zero, ending: .unclear, next: nil, .timedOut) == .to(.unclear))
            #expect(
                try await queue.hold(
                    jobs[2], as: .held, ending: .answered, lookingAgainAfter: .zero, question: "q", .rejected)
                    == .to(.held))
            #expect(try await queue.bury(jobs[3], ending: .answered, reason: "r", hint: "", .rejected) == .to(.dead))
            #expect(try await queue.release(jobs[4], why: "late") == .to(.queued))
            #expect(
                try await queue.block(jobs[5], for: .zero, ending: .answered, next: nil, .rateLimited) == .to(.queued))
            #expect(
                try await queue.pause(reason: "r", act: act, because: jobs[6], ending: .answered, next: nil, .refused)
                    .isNew)
            #expect(try await queue.resume(act: act))
            #expect(
                try await queue.renew(worker: "w1", lease: .seconds(60), holding: [(jobs[7].id, jobs[7].fence)]) == [])
            #expect(try await queue.reclaim(from: "w1") == 1)
            #expect(try await queue.withdraw(["waiting"], act: act).map(\.verdict) == [.withdrawn])
            #expect(try await queue.discard("case-3", act: act, finding: nil) == .discarded)
        }
    }

    @Test func `after a flush or a deleted stream the group is made again at its beginning`() async throws {
        try await withQueue { world in
            try await world.enqueue("case-1")
            _ = try await world.lease(slots: 0)
            try await world.send("FLUSHALL")
            try await world.setClock(TestClock.start)
            _ = try await world.lease(slots: 0)
            try await world.advance(.seconds(2))
            try await world.enqueue("case-2")
            try await world.produce("raw")
            let lease = try await world.lease()
            #expect(lease.jobs.map(\.id) == ["case-2"] && lease.raw.count == 1)
            try await world.send("DEL", RedisWord(world.queue.keys.lane(.normal)))
            try await world.enqueue("case-3")
            try await world.produce("raw")
            try await world.advance(.seconds(2))
            let next = try await world.lease()
            #expect(next.jobs.map(\.id) == ["case-3"] && next.raw.count == 1)
        }
    }

    @Test func `a destroyed group loses nothing that was unread`() async throws {
        try await withQueue { world in
            try await world.enqueue("case-1")
            try await world.enqueue("case-2")
            #expect(try await world.leaseOne().id == "case-1")
            try await world.produce("raw")
            #expect(try await world.lease(slots: 0).raw.isEmpty)
            try await world.send("XGROUP", "DESTROY", RedisWord(world.queue.keys.lane(.normal)), "fleet")
            let lease = try await world.lease()
            #expect(lease.jobs.map(\.id) == ["case-2"] && lease.raw.count == 1)
        }
    }

    @Test func `entries that a flush took can be adopted no more, and say so`() async throws {
        try await withQueue { world in
            try await world.produce("raw")
            let raw = try #require(try await world.lease().raw.first)
            try await world.send("DEL", RedisWord(world.queue.keys.lane(.normal)))
            let judgement = Judgement.letter(reason: "malformed", code: "", name: "", hint: "", text: "null")
            #expect(try await world.queue.adopt([(raw, judgement)]) == [.gone])
            #expect(try await world.queue.deadLetters().isEmpty)
        }
    }

    @Test func `a forgotten script is loaded again in the middle of the work`() async throws {
        try await withQueue { world in
            for number in 0..<5 {
                try await world.send("SCRIPT", "FLUSH")
                let job = try await world.sending("case-\(number)")
                try await world.send("SCRIPT", "FLUSH")
                #expect(
                    try await world.queue.settle(job, httpStatus: 200, signedTransaction: "s", signedRenewal: nil)
                        == .accepted)
            }
            #expect(try await world.ledger(kind: "request").count == 5)
        }
    }

    @Test func `a user without channel rights tears no move`() async throws {
        try await withQueue { world in
            try await world.send(
                "ACL", "SETUSER", "quiet", "on", ">secret", "~*", "resetchannels", "+@all", "-@admin")
            try await world.send("AUTH", "quiet", "secret")
            #expect(try await world.send("ACL", "WHOAMI").string == "quiet")
            try await world.enqueue("case-1")
            try await world.produce(world.text("case-2"))
            let lease = try await world.lease()
            let job = try #require(lease.jobs.first)
            let text = try #require(lease.raw.first?.job)
            let raw = try Job.validate(text, app: world.rules, from: .lane(.normal)).get()
            #expect(try await world.queue.adopt([(lease.raw[0], .job(raw, text: text))]) == [.adopted])
            #expect(try await world.queue.release(job, why: "late") == .to(.queued))
            #expect(try await world.queue.pause(reason: "r", act: QueueWorld.agent).isNew)
            #expect(try await world.queue.resume(act: QueueWorld.agent))
            try await world.advance(.seconds(2))
            let again = try await world.lease().jobs
            #expect(Set(again.map(\.id)) == ["case-1", "case-2"])
            #expect(
                try await world.queue.postpone(again[0], for: .zero, ending: .unclear, next: nil, .timedOut)
                    == .to(.unclear))
            _ = try await world.queue.bury(again[1], ending: .answered, reason: "r", hint: "", .rejected)
            guard case .queued = try await world.queue.redrive(again[1].id, act: QueueWorld.agent) else {
                Issue.record("the redrive was torn")
                return
            }
        }
    }
}

extension QueueWorld {
    /// How many entries of a lane nobody has read; nil when Redis doesn't know.
    func lag(_ lane: Priority) async throws -> Int64? {
        let key = RedisWord(queue.keys.lane(lane))
        guard try await send("EXISTS", key) == .integer(1) else { return 0 }
        return try await send("XINFO", "GROUPS", key).array?.first?.fields?["lag"]?.integer
    }
}
