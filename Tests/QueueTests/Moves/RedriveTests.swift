import Queue
import Redis
import Refunds
import Testing

/// redrive: dead → queued
@Suite struct RedriveTests {
    private func dead(_ world: QueueWorld, _ id: String, ending: SendEnding = .answered) async throws -> LeasedJob {
        let job = try await world.sending(id)
        _ = try await world.queue.bury(job, ending: ending, reason: "rejected", hint: "", .rejected)
        return job
    }

    @Test func `a closed id is replaced by the next round's`() async throws {
        try await withQueue { world in
            let job = try await dead(world, "case-1")
            let next = world.next(job)
            #expect(try await world.queue.redrive("case-1", act: QueueWorld.agent) == .queued(next))
            #expect(try await world.place("case-1") == [.stream("normal")])
            #expect(try await world.queue.deadLetters().isEmpty)
            let again = try await world.leaseAfter(.seconds(2))
            #expect(again.referenceId == next && again.round == 1 && again.attempts == 1 && again.sends == 1)
            #expect(again.firstSentAt == (try await world.now) / 1000, "its time to give up begins anew")
            let line = try #require(try await world.ledger("case-1", kind: "redriven").first)
            #expect(line["by"] == "agent-17" && line["why"] == "the customer called")
            #expect(line["requestReferenceId"] == next.text)
        }
    }

    @Test func `an open id goes again with the same bytes`() async throws {
        try await withQueue { world in
            let job = try await dead(world, "case-1", ending: .unclear)
            #expect(try await world.queue.redrive("case-1", act: QueueWorld.agent) == .queued(job.referenceId))
            #expect(try await world.state("case-1") == "unclear")
            let again = try await world.leaseAfter(.seconds(30))
            #expect(again.referenceId == job.referenceId && again.body == job.body && again.isOpen && again.sends == 2)
        }
    }

    @Test func `an open job is not sent again while its lost request may be under way`() async throws {
        try await withQueue { world in
            try await world.enqueue("case-1")
            for _ in 0..<3 {
                _ = try await world.leaseAfter(.seconds(31), worker: "dead")
                _ = try await world.queue.reclaim(from: "dead")
            }
            try await world.advance(.seconds(10))
            _ = try await world.queue.redrive("case-1", act: QueueWorld.agent)
            #expect(try await world.place("case-1") == [.later])
            try await world.advance(.seconds(19))
            #expect(try await world.lease().jobs.isEmpty)
            try await world.advance(.seconds(1))
            #expect(try await world.lease().jobs.map(\.id) == ["case-1"])
        }
    }

    @Test func `an open id can't be mended`() async throws {
        try await withQueue { world in
            let job = try await dead(world, "case-1", ending: .unclear)
            let before = try await world.snapshot()
            let mended = try world.job("case-1", transaction: "T-case-1", skus: ["other"])
            #expect(
                try await world.queue.redrive("case-1", act: QueueWorld.agent, mended: mended) == .open(job.referenceId)
            )
            #expect(try await world.snapshot() == before)
        }
    }

    @Test func `a mended job goes under a new id, claims its new items and keeps its own id`() async throws {
        try await withQueue { world in
            let original = try world.job("case-1", transaction: "T-case-1")
            _ = try await dead(world, "case-1")
            let mended = try world.job("case-1", transaction: "T-case-1", skus: ["other"])
            let reference = world.reference("case-1", round: 1, digest: mended.contentDigest)
            #expect(
                try await world.queue.redrive("case-1", act: QueueWorld.agent, mended: mended) == .queued(reference))
            let again = try await world.leaseAfter(.seconds(2))
            #expect(again.body == mended.body(referenceId: reference) && again.contentDigest == mended.contentDigest)
            #expect(
                try await world.enqueue("b", transaction: "T-case-1", skus: ["other"])
                    == .alreadyRequested(by: "case-1"))
            #expect(try await world.enqueue("c", transaction: "T-case-1").isEnqueued)
            // The producer's repeat of what it sent is still the same job.
            guard case .duplicate = try await world.queue.enqueue(original) else {
                Issue.record("the original content is a conflict now")
                return
            }
        }
    }

    @Test func `a person may set allowRepeat, and what else a job says of itself, too`() async throws {
        try await withQueue { world in
            _ = try await dead(world, "case-1")
            try await world.enqueue("other", transaction: "T-case-1")
            let due = (TestClock.start / 1000) + 7_200_000
            let mended = try world.job(
                "case-1", transaction: "T-case-1", priority: .urgent,
                #","allowRepeat":true,"originalTransactionId":"T-0","requestedBy":"agent-9","notBefore":\#(due)"#)
            let reference = world.reference("case-1", round: 1, digest: mended.contentDigest)
            #expect(
                try await world.queue.redrive("case-1", act: QueueWorld.agent, mended: mended) == .queued(reference))
            #expect(try await world.place("case-1") == [.later])
            #expect(try await world.queue.show("case-1")?.job == mended)
            #expect(try await world.queue.jobs(ofTransaction: "T-0") == ["case-1"])
            // And back again: what isn't said any more is gone from the record.
            _ = try await world.queue.withdraw(["case-1"], act: QueueWorld.agent)
            let plain = try world.job("case-1", transaction: "T-case-1", skus: ["another"])
            _ = try await world.queue.redrive("case-1", act: QueueWorld.agent, mended: plain)
            #expect(try await world.queue.show("case-1")?.job == plain)
            #expect(try await world.place("case-1") == [.stream("normal")])
        }
    }

    @Test func `a job that was never sent keeps its id`() async throws {
        try await withQueue { world in
            let job = try world.job("case-1")
            _ = try await world.queue.enqueue(job)
            _ = try await world.queue.withdraw(["case-1"], act: QueueWorld.agent)
            let reference = job.referenceId(round: 0, environment: .production)
            #expect(try await world.queue.redrive("case-1", act: QueueWorld.agent) == .queued(reference))
        }
    }

    @Test func `another job that has asked meanwhile stands in the way`() async throws {
        try await withQueue { world in
            _ = try await dead(world, "case-1")
            try await world.enqueue("other", transaction: "T-case-1")
            let before = try await world.snapshot()
            #expect(try await world.queue.redrive("case-1", act: QueueWorld.agent) == .alreadyRequested(by: "other"))
            #expect(try await world.snapshot() == before)
        }
    }

    @Test func `only dead letters of jobs are redriven`() async throws {
        try await withQueue { world in
            _ = try await world.sending("case-1")
            #expect(try await world.queue.redrive("case-1", act: QueueWorld.agent) == .notDead(.sending))
            #expect(try await world.queue.redrive("nobody", act: QueueWorld.agent) == .missing)
        }
    }

    @Test func `redriven twice is queued once`() async throws {
        try await withQueue { world in
            _ = try await dead(world, "case-1")
            _ = try await world.queue.redrive("case-1", act: QueueWorld.agent)
            #expect(try await world.queue.redrive("case-1", act: QueueWorld.agent) == .notDead(.queued))
            #expect(try await world.census().entries.count == 1)
        }
    }

    @Test func `two rounds of failure and redrive are one job with its whole history`() async throws {
        try await withQueue { world in
            var references: [String] = []
            try await world.enqueue("case-1")
            for round in 0..<3 {
                let job = try await world.leaseAfter(.seconds(2))
                #expect(job.round == round)
                references.append(job.referenceId.text)
                _ = try await world.queue.bury(job, ending: .answered, reason: "rejected", hint: "", .rejected)
                if round < 2 { _ = try await world.queue.redrive("case-1", act: QueueWorld.agent) }
            }
            #expect(Set(references).count == 3)
            let record = try #require(try await world.queue.show("case-1"))
            #expect(record.attempts.map(\.referenceId) == references)
            #expect(record.attempts.map(\.number) == [1, 2, 3])
        }
    }

    @Test func `the stale worker of before a redrive can move nothing`() async throws {
        try await withQueue { world in
            let job = try await dead(world, "case-1")
            _ = try await world.queue.redrive("case-1", act: QueueWorld.agent)
            _ = try await world.leaseAfter(.seconds(2))
            #expect(try await world.queue.release(job, why: "late") == .stale)
        }
    }

    @Test func `a redrive decided on an older round makes no used id again`() async throws {
        try await withQueue { world in
            let job = try await dead(world, "case-1")
            let used = world.next(job)
            _ = try await world.queue.redrive("case-1", act: QueueWorld.agent)
            let second = try await world.leaseAfter(.seconds(2))
            #expect(second.referenceId == used)
            _ = try await world.queue.bury(second, ending: .answered, reason: "rejected", hint: "", .rejected)
            // What a second person's redrive sends that read round 0 before the first one's.
            let before = try await world.snapshot()
            let late = try await world.queue.redis.run(
                TestClock.scripts[.redrive], keys: [world.queue.keys.base],
                arguments: ["case-1", "b", "w", RedisWord(used.text), "", "", "", "", "1"])
            #expect(late.strings?.first == "changed")
            #expect(try await world.snapshot() == before)
        }
    }

    @Test func `redriven jobs go behind live traffic`() async throws {
        try await withQueue { world in
            _ = try await dead(world, "old")
            try await world.enqueue("live-1")
            try await world.enqueue("live-2")
            _ = try await world.queue.redrive("old", act: QueueWorld.agent)
            try await world.advance(.seconds(2))
            #expect(try await world.lease().jobs.map(\.id) == ["live-1", "live-2", "old"])
        }
    }

    @Test func `every letter is redriven exactly once while workers refill`() async throws {
        try await withQueue { world in
            let rate = GateRate(requestsPerSecond: 50)
            for number in 0..<50 { try await world.enqueue("case-\(number)") }
            for job in try await world.lease(slots: 50, rate: rate).jobs {
                _ = try await world.queue.bury(job, ending: .answered, reason: "rejected", hint: "", .rejected)
            }
            var redriven = 0
            var passes = 0
            while redriven < 50, passes < 100 {
                passes += 1
                for letter in try await world.queue.deadLetters(limit: 7) where letter.attempts == 1 {
                    guard case .queued = try await world.queue.redrive(letter.id, act: QueueWorld.agent) else {
                        continue
                    }
                    redriven += 1
                }
                try await world.advance(.seconds(2))
                for job in try await world.lease(slots: 50, rate: rate).jobs {
                    _ = try await world.queue.settle(job, httpStatus: 200, signedTransaction: "s", signedRenewal: nil)
                }
            }
            let census = try await world.census()
            #expect(
                redriven == 50 && census.jobs.values.allSatisfy { $0["state"] == "accepted" && $0["redrives"] == "1" })
        }
    }
}
