import Queue
import Redis
import Refunds
import Testing

/// discard: dead → discarded
@Suite struct DiscardTests {
    private func dead(_ world: QueueWorld, ending: SendEnding) async throws -> LeasedJob {
        let job = try await world.sending("case-1", transaction: "T")
        try await world.enqueue("next", transaction: "T", skus: ["other"])
        _ = try await world.lease()
        _ = try await world.queue.bury(job, ending: ending, reason: "rejected", hint: "", .rejected)
        return job
    }

    @Test func `a closed letter goes for good, and the same refund may be asked for under another id`() async throws {
        try await withQueue { world in
            _ = try await dead(world, ending: .answered)
            #expect(try await world.queue.discard("case-1", act: QueueWorld.agent, finding: nil) == .discarded)
            #expect(try await world.queue.deadLetters().isEmpty)
            #expect(try await world.state("case-1") == "discarded")
            #expect(try await world.place("case-1").isEmpty)
            let line = try #require(try await world.ledger("case-1", kind: "discarded").first)
            #expect(line["by"] == "agent-17" && line["why"] == "the customer called" && line["finding"] == nil)
            #expect(try await world.enqueue("again", transaction: "T").isEnqueued)
            guard case .duplicate(.discarded, _) = try await world.enqueue("case-1", transaction: "T") else {
                Issue.record("its own id must stay known")
                return
            }
        }
    }

    @Test func `an open id takes a finding`() async throws {
        try await withQueue { world in
            _ = try await dead(world, ending: .unclear)
            let before = try await world.snapshot()
            #expect(try await world.queue.discard("case-1", act: QueueWorld.agent, finding: nil) == .open)
            #expect(try await world.snapshot() == before)
        }
    }

    @Test(arguments: Finding.allCases)
    func `a finding closes the id, frees the line and is booked`(finding: Finding) async throws {
        try await withQueue { world in
            _ = try await dead(world, ending: .unclear)
            #expect(try await world.place("next") == [.line("T")])
            #expect(try await world.queue.discard("case-1", act: QueueWorld.agent, finding: finding) == .discarded)
            #expect(try await world.ledger("case-1", kind: "discarded").first?["finding"] == finding.rawValue)
            #expect(try await world.queue.show("case-1")?.finding == finding.rawValue)
            let again = try await world.enqueue("again", transaction: "T")
            #expect(again == .alreadyRequested(by: "case-1") || finding == .notRefunded)
            #expect(again.isEnqueued == (finding == .notRefunded))
            try await world.advance(.seconds(2))
            #expect(try await world.lease().jobs.first?.id == "next")
        }
    }

    @Test func `what is not dead is not discarded`() async throws {
        try await withQueue { world in
            try await world.enqueue("case-1")
            #expect(try await world.queue.discard("case-1", act: QueueWorld.agent, finding: nil) == .notDead)
            #expect(try await world.queue.discard("nobody", act: QueueWorld.agent, finding: nil) == .missing)
        }
    }

    @Test func `discarded twice is discarded once`() async throws {
        try await withQueue { world in
            _ = try await dead(world, ending: .answered)
            #expect(try await world.queue.discard("case-1", act: QueueWorld.agent, finding: nil) == .discarded)
            #expect(try await world.queue.discard("case-1", act: QueueWorld.agent, finding: nil) == .notDead)
            #expect(try await world.ledger("case-1", kind: "discarded").count == 1)
        }
    }
}
