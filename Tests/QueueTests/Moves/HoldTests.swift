import Queue
import Redis
import Refunds
import Testing

/// hold: sending → held | unclear
@Suite struct HoldTests {
    @Test func `a held job waits for Apple's outcome and lets go of the line`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1", transaction: "T", skus: ["a"])
            try await world.enqueue("next", transaction: "T", skus: ["b"])
            let moved = try await world.queue.hold(
                job, as: .held, ending: .answered, lookingAgainAfter: .seconds(600), question: "whose refund is open?",
                .rejected)
            #expect(moved == .to(.held))
            #expect(try await world.place("case-1") == [.followup])
            #expect(try await world.score("case-1", in: world.queue.keys.followups) == world.now + 600_000_000)
            #expect(try await world.census().held == ["case-1"])
            #expect(try await world.queue.show("case-1")?.openQuestion == "whose refund is open?")
            #expect(try await world.ledger("case-1", kind: "question").first?["reason"] == "whose refund is open?")
            try await world.advance(.seconds(2))
            #expect(try await world.lease().jobs.map(\.id) == ["next"])
            try await world.advance(.seconds(5000))
            #expect(try await world.census().held == ["case-1"], "nothing sends it by itself")
        }
    }

    @Test(arguments: [SendEnding.unclear, .answered])
    func `an unclear job that is looked up keeps its id open and its line`(ending: SendEnding) async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1", transaction: "T", skus: ["a"])
            try await world.enqueue("next", transaction: "T", skus: ["b"])
            let moved = try await world.queue.hold(
                job, as: .unclear, ending: ending, lookingAgainAfter: .seconds(1), question: "q", .timedOut)
            #expect(moved == .to(.unclear))
            #expect(try await world.fields("case-1")["unclear"] == "1")
            #expect(try await world.place("case-1") == [.followup])
            try await world.advance(.seconds(500))
            #expect(try await world.lease().jobs.isEmpty)
            #expect(try await world.queue.show("next")?.waitsFor == "case-1")
        }
    }

    @Test func `a held job whose id is open keeps the line too`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            _ = try await world.queue.postpone(job, for: .zero, ending: .unclear, next: nil, .timedOut)
            let again = try await world.leaseAfter(.seconds(2))
            let moved = try await world.queue.hold(
                again, as: .held, ending: .answered, lookingAgainAfter: .seconds(1), question: "q", .rejected)
            #expect(moved == .to(.held))
            #expect(try await world.census().purchases["T-case-1"]?["owner"] == "case-1")
            let withdrawal = try await world.queue.withdraw(["case-1"], act: QueueWorld.agent)
            #expect(withdrawal.map(\.verdict) == [.open])
        }
    }

    @Test func `a lost lease holds nothing`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            _ = try await world.queue.release(job, why: "late")
            let before = try await world.snapshot()
            let moved = try await world.queue.hold(
                job, as: .held, ending: .answered, lookingAgainAfter: .seconds(1), question: "q", .rejected)
            #expect(moved == .stale)
            #expect(try await world.snapshot() == before)
        }
    }
}
