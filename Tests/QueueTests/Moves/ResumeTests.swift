import Queue
import Redis
import Refunds
import Testing

/// resume: (app) paused → running
@Suite struct ResumeTests {
    @Test func `a resumed app sends what waited`() async throws {
        try await withQueue { world in
            try await world.enqueue("case-1")
            _ = try await world.queue.pause(reason: "r", act: QueueWorld.agent)
            #expect(try await world.queue.resume(act: Act(by: "anna", why: "the agreement is signed")))
            #expect(try await world.queue.overview().paused == nil)
            #expect(try await world.lease().jobs.count == 1)
            let line = try #require(try await world.ledger(kind: "resumed").first)
            #expect(line["by"] == "anna" && line["why"] == "the agreement is signed" && line["pause"] == "1")
            #expect(line["reason"] == "r")
        }
    }

    @Test func `resuming what runs changes nothing`() async throws {
        try await withQueue { world in
            let before = try await world.snapshot()
            #expect(try await !world.queue.resume(act: QueueWorld.agent))
            #expect(try await world.snapshot() == before)
        }
    }

    @Test func `a block outlasts the pause`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            _ = try await world.queue.block(job, for: .seconds(100), ending: .answered, next: nil, .rateLimited)
            _ = try await world.queue.pause(reason: "r", act: QueueWorld.agent)
            _ = try await world.queue.resume(act: QueueWorld.agent)
            #expect(try await world.lease().blockedUntilMicroseconds != nil)
        }
    }
}
