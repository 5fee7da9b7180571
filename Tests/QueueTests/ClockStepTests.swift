import Queue
import Redis
import Refunds
import Testing

@Suite struct `A clock that is set forward` {
    @Test func `takes no job from a worker that lives, and repeats none before the request's time-out`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            let before = try await world.now
            try await world.advance(.seconds(3600))
            #expect(try await world.lease(worker: "w2", expected: before).jobs.isEmpty)
            #expect(try await world.queue.show("case-1")?.state == .sending)
            // The other workers' clocks carry on the time before, too.
            #expect(try await world.lease(worker: "w3", expected: before).jobs.isEmpty)
            let held = [(id: job.id, fence: job.fence)]
            #expect(try await world.queue.renew(worker: "w1", lease: QueueWorld.leaseTime, holding: held) == [])
            #expect(try await world.queue.show("case-1")?.state == .sending)
        }
    }

    @Test func `saves no job of a worker that died, only puts its repeat off by the request's time-out`() async throws {
        try await withQueue { world in
            _ = try await world.sending("case-1")
            let before = try await world.now
            try await world.advance(.seconds(3600))
            #expect(try await world.lease(worker: "w2", expected: before).jobs.isEmpty)
            try await world.advance(QueueWorld.requestTimeout - .milliseconds(1))
            let early = try await world.lease(worker: "w2", expected: try await world.now)
            #expect(early.jobs.isEmpty)
            try await world.advance(.milliseconds(2))
            let lease = try await world.lease(worker: "w2", expected: try await world.now)
            #expect(lease.jobs.map(\.id) == ["case-1"])
            #expect(lease.jobs.first?.isOpen == true)
        }
    }
}
