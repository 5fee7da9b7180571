import Queue
import Redis
import Refunds
import Testing

/// bury: sending → dead
@Suite struct BuryTests {
    @Test func `a letter says what happened and what can be done`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1", #","note":"ch. 9""#)
            let moved = try await world.queue.bury(
                job, ending: .answered, reason: "rejected", hint: "lower the amount", .rejected)
            #expect(moved == .to(.dead))
            #expect(try await world.place("case-1") == [.dead])
            let letter = try #require(try await world.queue.deadLetter("case-1"))
            #expect(letter.reason == "rejected" && letter.code == "4000023" && letter.name == "InvalidRefundAmount")
            #expect(letter.hint == "lower the amount" && letter.attempts == 1 && !letter.isOpen && letter.isOfJob)
            let now = try await world.now
            #expect(letter.at == now / 1000)
            let stored = try await world.queue.show("case-1")?.job
            #expect(try Job.validate(Array(letter.job.utf8), app: world.rules).get() == stored)
            #expect(try await world.ledger("case-1").map { $0["kind"] } == ["request", "answer", "dead"])
            #expect(try await world.ledger("case-1").last?["reason"] == "rejected")
        }
    }

    @Test func `a letter without an open id lets go of line and claims`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1", transaction: "T")
            try await world.enqueue("next", transaction: "T", skus: ["other"])
            _ = try await world.queue.bury(job, ending: .answered, reason: "rejected", hint: "", .rejected)
            #expect(try await world.enqueue("again", transaction: "T").isEnqueued)
            try await world.advance(.seconds(2))
            #expect(try await world.lease().jobs.map(\.id) == ["next"])
        }
    }

    @Test func `a letter whose id is open keeps line and claims`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1", transaction: "T")
            try await world.enqueue("next", transaction: "T", skus: ["other"])
            _ = try await world.queue.bury(job, ending: .unclear, reason: "outcomeUnknown", hint: "", .timedOut)
            #expect(try await world.queue.deadLetter("case-1")?.isOpen == true)
            #expect(try await world.enqueue("again", transaction: "T") == .alreadyRequested(by: "case-1"))
            try await world.advance(.seconds(1000))
            #expect(try await world.lease().jobs.isEmpty)
            #expect(try await world.queue.overview().isIdle, "followers of a dead letter don't count")
        }
    }

    @Test func `a letter of a request that never left gives permit and attempt back`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            _ = try await world.queue.bury(job, ending: .unsent, reason: "attemptsUsed", hint: "", .notConnected)
            #expect(try await world.departures().isEmpty)
            #expect(try await world.queue.deadLetter("case-1")?.attempts == 0)
        }
    }

    @Test func `a lost lease buries nothing`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            _ = try await world.queue.reclaim(from: "w1")
            let before = try await world.snapshot()
            #expect(
                try await world.queue.bury(job, ending: .answered, reason: "rejected", hint: "", .rejected) == .stale)
            #expect(try await world.snapshot() == before)
        }
    }
}
