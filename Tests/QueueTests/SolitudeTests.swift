import Queue
import Redis
import Refunds
import Testing

@Suite struct `A job that has cost two leases` {
    func lose(_ id: String, in world: QueueWorld) async throws {
        for _ in 1...2 {
            #expect(try await world.lease(slots: 1).jobs.map(\.id) == [id])
            try await world.advance(.seconds(61))
        }
    }

    @Test func `is given to no worker that does something else meanwhile`() async throws {
        try await withQueue { world in
            try await world.enqueue("poison")
            try await lose("poison", in: world)
            try await world.enqueue("good")
            let busy = try await world.lease(isAlone: false)
            #expect(busy.jobs.map(\.id) == ["good"])
            #expect(busy.holdsJobThatMustBeAlone)
        }
    }

    @Test func `runs alone: the call that gives it gives nothing else`() async throws {
        try await withQueue { world in
            try await world.enqueue("poison")
            try await lose("poison", in: world)
            try await world.enqueue("good")
            let alone = try await world.lease(isAlone: true)
            #expect(alone.jobs.map(\.id) == ["poison"])
            #expect(alone.jobs[0].mustBeAlone)
        }
    }
}
