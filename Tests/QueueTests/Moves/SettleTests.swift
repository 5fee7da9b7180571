import Queue
import Redis
import Refunds
import Testing

/// settle: sending, unclear, held, dead → accepted | done
@Suite struct SettleTests {
    private func settle(_ world: QueueWorld, _ job: LeasedJob) async throws -> Settlement {
        try await world.queue.settle(job, httpStatus: 200, signedTransaction: "signed.t", signedRenewal: "signed.r")
    }

    @Test(arguments: [Refunds.Operation.refund, .revoke])
    func `a 200 makes the job accepted, keeps what Apple signed and lets go of the line`(operation: Refunds.Operation)
        async throws
    {
        try await withQueue { world in
            let job = try await world.sending("case-1", operation: operation)
            #expect(try await settle(world, job) == .accepted)
            let fields = try await world.fields("case-1")
            #expect(fields["state"] == "accepted" && fields["unclear"] == "0")
            #expect(fields["signedTransaction"] == "signed.t" && fields["signedRenewal"] == "signed.r")
            #expect(fields["ended"] == "\(try await world.now / 1000)")
            #expect(try await world.place("case-1") == [.followup])
            #expect(try await world.score("case-1", in: world.queue.keys.followups) == world.now + 3_600_000_000)
            #expect(try await world.census().purchases["T-case-1"]?["owner"] == nil)
            let attempt = try #require(try await world.queue.show("case-1")?.attempts.first)
            #expect(attempt.number == 1 && attempt.result == "accepted" && attempt.httpStatus == 200)
            #expect(attempt.referenceId == job.referenceId.text && attempt.endedAt != nil)
            #expect(try await world.ledger("case-1").map { $0["kind"] } == ["request", "answer"])
            #expect(try await world.send("TTL", RedisWord(world.queue.keys.job("case-1"))) == .integer(-1))
        }
    }

    @Test func `the certificates of what Apple signed are stored once, and again if Redis has lost them`() async throws
    {
        try await withQueue { world in
            let headers = [Character("h"), "i", "j"].map { String(repeating: $0, count: 3400) }
            let stored = RedisWord(world.queue.keys.headers)
            func accept(_ id: String, _ transaction: String, _ renewal: String?) async throws {
                try await world.enqueue(id, transaction: "T-\(id)")
                let job = try await world.leaseAfter(.seconds(2))
                #expect(
                    try await world.queue.settle(
                        job, httpStatus: 200, signedTransaction: transaction, signedRenewal: renewal) == .accepted)
                let signed = try await world.queue.signed(id)
                #expect(signed.transaction == transaction && signed.renewal == renewal)
            }
            try await accept("a", headers[0] + ".payload.signature", nil)
            try await accept("b", headers[0] + ".p.s", headers[0] + ".q.t")
            #expect(try await world.send("HLEN", stored) == .integer(1))
            #expect(try await world.fields("b").values.allSatisfy { $0.utf8.count < 300 })
            try await world.send("DEL", stored)
            try await accept("c", headers[0] + ".p.s", headers[1] + ".q.t")
            try await accept("d", headers[2] + ".p.s", headers[0] + ".q.t")
            #expect(try await world.send("HLEN", stored) == .integer(3))
            // What is no such text, or a short one, is kept as it is.
            for text in ["e30.p.s", "x", "", headers[0], headers[0] + ".p", headers[0] + ".p.s.t"] {
                try await accept("kept-\(text.utf8.count)", text, nil)
            }
            #expect(try await world.send("HLEN", stored) == .integer(3))
            #expect(try await world.queue.signed("nobody").transaction == nil)
        }
    }

    @Test func `a cancellation is done and remembered for its retention`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1", operation: .cancel)
            #expect(try await settle(world, job) == .done)
            #expect(try await world.place("case-1").isEmpty)
            #expect(try await world.state("case-1") == "done")
            let life = try await world.send("PTTL", RedisWord(world.queue.keys.job("case-1"))).integer ?? 0
            #expect(life > JobQueue.retention.milliseconds - 60_000)
        }
    }

    @Test func `a 200 is recorded once`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            #expect(try await settle(world, job) == .accepted)
            let before = try await world.snapshot()
            #expect(try await settle(world, job) == .already)
            #expect(try await world.snapshot() == before)
        }
    }

    @Test(arguments: ["follower", "later comer"])
    func `a late 200 of an earlier send lets the purchase's next job go only once the last one is over`(next: String)
        async throws
    {
        try await withQueue { world in
            let first = try await world.sending("case-1")
            #expect(try await world.queue.reclaim(from: "w1") == 1)
            try await world.advance(QueueWorld.requestTimeout + .seconds(1))
            let second = try await world.leaseOne(worker: "w2")
            #expect(second.id == "case-1")
            if next == "follower" { try await world.enqueue("next", transaction: "T-case-1", skus: ["other"]) }
            // The second worker has its permit and doesn't know of the first one's answer.
            #expect(try await settle(world, first) == .accepted)
            if next != "follower" { try await world.enqueue("next", transaction: "T-case-1", skus: ["other"]) }
            try await world.advance(QueueWorld.requestTimeout - .milliseconds(1))
            #expect(try await world.lease(worker: "w3").jobs.isEmpty)
            try await world.advance(.milliseconds(1))
            #expect(try await world.lease(worker: "w3").jobs.map(\.id) == ["next"])
        }
    }

    @Test func `the 200 of the last send lets the purchase's next job go at once`() async throws {
        try await withQueue { world in
            _ = try await world.sending("case-1")
            #expect(try await world.queue.reclaim(from: "w1") == 1)
            try await world.advance(QueueWorld.requestTimeout + .seconds(1))
            let second = try await world.leaseOne(worker: "w2")
            try await world.enqueue("next", transaction: "T-case-1", skus: ["other"])
            #expect(try await settle(world, second) == .accepted)
            #expect(try await world.lease(worker: "w3").jobs.map(\.id) == ["next"])
        }
    }

    /// The places a job can be in when the answer of a lost lease comes.
    @Test(arguments: ["later", "ready", "sending again", "follow-up", "held", "dead", "redriven", "last lease lost"])
    func `a late 200 is recorded wherever the job is, and nothing is sent again`(place: String) async throws {
        try await withQueue { world in
            var job = try await world.sending("case-1")
            try await world.enqueue("next", transaction: "T-case-1", skus: ["other"])
            switch place {
            case "later":
                _ = try await world.queue.postpone(job, for: .seconds(9), ending: .unclear, next: nil, .timedOut)
            case "ready":
                _ = try await world.queue.postpone(job, for: .zero, ending: .unclear, next: nil, .timedOut)
                _ = try await world.lease(slots: 0)
                #expect(try await world.place("case-1") == [.ready("normal")])
            case "sending again":
                try await world.advance(.seconds(61))
                #expect(try await world.leaseOne(worker: "w2").id == "case-1")
            case "follow-up":
                _ = try await world.queue.hold(
                    job, as: .unclear, ending: .unclear, lookingAgainAfter: .seconds(9), question: "q", .timedOut)
            case "held":
                _ = try await world.queue.hold(
                    job, as: .held, ending: .unclear, lookingAgainAfter: .seconds(9), question: "q", .timedOut)
            case "dead", "redriven":
                _ = try await world.queue.bury(job, ending: .unclear, reason: "outcomeUnknown", hint: "", .timedOut)
                if place == "redriven" { _ = try await world.queue.redrive("case-1", act: QueueWorld.agent) }
            default:
                for worker in ["w2", "w3"] {
                    try await world.advance(.seconds(61))
                    job = try await world.leaseOne(worker: worker)
                }
                try await world.advance(.seconds(61))
                _ = try await world.lease(slots: 0)
                #expect(try await world.place("case-1") == [.dead])
            }
            #expect(try await settle(world, job) == .accepted)
            #expect(try await world.place("case-1") == [.followup])
            #expect(try await world.queue.deadLetters().isEmpty)
            try await world.advance(.seconds(300))
            let lease = try await world.lease()
            #expect(lease.jobs.map(\.id) == ["next"], "its follower goes on, and itself it is never sent again")
            #expect(try await world.census().entries.isEmpty)
            if place == "sending again" {
                #expect(
                    try await world.queue.postpone(job, for: .zero, ending: .answered, next: nil, .rejected) == .stale)
            }
        }
    }

    @Test func `the worker that repeats a settled request can move the job no more`() async throws {
        try await withQueue { world in
            let first = try await world.sending("case-1")
            try await world.advance(.seconds(61))
            let second = try await world.leaseOne(worker: "w2")
            #expect(try await settle(world, first) == .accepted)
            #expect(
                try await world.queue.bury(second, ending: .answered, reason: "rejected", hint: "", .rejected) == .stale
            )
            #expect(try await world.queue.release(second, why: "late") == .stale)
            #expect(try await settle(world, second) == .already)
            #expect(try await world.state("case-1") == "accepted")
        }
    }

    @Test func `a 200 for an id that the job has left is booked and changes nothing else`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            _ = try await world.queue.postpone(
                job, for: .seconds(1), ending: .answered, next: world.next(job), .rejected)
            let before = try await world.fields("case-1")
            #expect(try await settle(world, job) == .foreign)
            #expect(try await world.fields("case-1") == before)
            let line = try #require(try await world.ledger("case-1", kind: "answer").last)
            #expect(line["result"] == "lateAnswer" && line["requestReferenceId"] == job.referenceId.text)
        }
    }

    @Test func `a 200 after a person closed the letter is booked, since money may have moved`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            _ = try await world.queue.bury(job, ending: .unclear, reason: "outcomeUnknown", hint: "", .timedOut)
            _ = try await world.queue.discard("case-1", act: QueueWorld.agent, finding: .notRefunded)
            #expect(try await settle(world, job) == .foreign)
            #expect(try await world.state("case-1") == "discarded")
            #expect(try await world.ledger("case-1", kind: "answer").last?["result"] == "lateAnswer")
        }
    }

    @Test func `of answers that are recorded by one call each is for itself`() async throws {
        try await withQueue { world in
            var sent: [LeasedJob] = []
            for id in ["good", "lost", "foreign", "spoilt", "gone", "cancel"] {
                sent.append(try await world.sending(id, operation: id == "cancel" ? .cancel : .refund))
                try await world.advance(.seconds(2))
            }
            // One was lost and waits for its repeat, one has gone on to another id, one's purchase is no hash any more, one's
            // record is no longer there.
            _ = try await world.queue.postpone(sent[1], for: .seconds(99), ending: .unclear, next: nil, .timedOut)
            _ = try await world.queue.postpone(
                sent[2], for: .seconds(99), ending: .answered, next: world.next(sent[2]), .rejected)
            try await world.send("SET", RedisWord(world.queue.keys.purchase("T-spoilt")), "x")
            try await world.send("DEL", RedisWord(world.queue.keys.job("gone")))
            let successes = (sent + [sent[0]]).map {
                Success($0, httpStatus: 200, signedTransaction: "s-\($0.id)", signedRenewal: nil)
            }
            let results = try await world.queue.settle(successes)
            #expect(results.map { try? $0.get() } == [.accepted, .accepted, .foreign, nil, nil, .done, .already])
            for (index, what) in [(3, "WRONGTYPE"), (4, "MISSING job gone")] {
                guard case .failure(let error) = results[index] else { continue }
                guard case .server(let cause)? = error.redisError else { continue }
                #expect(cause.message.hasPrefix(what))
            }
            for name in [world.queue.keys.purchase("T-spoilt"), world.queue.keys.purchase("T-gone")] {
                try await world.send("DEL", RedisWord(name))
            }
            try await world.send("ZREM", RedisWord(world.queue.keys.leases), "gone")
            #expect(try await world.queue.settle([successes[3]]).map { try? $0.get() } == [.accepted])
            for id in ["good", "lost", "spoilt"] {
                #expect(try await world.place(id) == [.followup])
                #expect(try await world.fields(id)["signedTransaction"] == "s-\(id)")
            }
            #expect(try await world.state("foreign") == "waiting")
            #expect(try await world.place("cancel").isEmpty)
        }
    }

    @Test func `a 200 for a job that is not there is an error`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            try await world.send("FLUSHDB")
            try await world.setClock(TestClock.start)
            await #expect(throws: QueueError.self) { _ = try await settle(world, job) }
        }
    }
}
