import Queue
import Redis
import Refunds
import TestSupport
import Testing

@Suite struct `An alarm` {
    @Test func `is told by exactly one worker`() async throws {
        try await withQueue { world in
            _ = try await world.queue.pause(reason: "manual", act: QueueWorld.agent)
            let taken = try await world.queue.takeAlarms(worker: "w1")
            #expect(taken.map(\.kind) == ["paused"])
            #expect(try await world.queue.takeAlarms(worker: "w2").isEmpty)
            try await world.queue.told(taken[0])
            #expect(try await world.queue.overview().untoldAlarms == 0)
        }
    }

    @Test func `that a worker took and didn't live to tell is told by another`() async throws {
        try await withQueue { world in
            _ = try await world.queue.pause(reason: "manual", act: QueueWorld.agent)
            let taken = try await world.queue.takeAlarms(worker: "w1")
            let again = try await world.queue.takeAlarms(worker: "w2", patience: .zero)
            #expect(again.map(\.entryId) == taken.map(\.entryId))
            #expect(try await world.lease().untoldAlarms == 1)
        }
    }

    @Test(arguments: ["xack", "xdel"])
    func `whose teller dies while it strikes it off doesn't stay untold for ever`(_ word: String) async throws {
        try await withQueue { world in
            _ = try await world.queue.pause(reason: "manual", act: QueueWorld.agent)
            let alarm = try #require(try await world.queue.takeAlarms(worker: "w1").first)
            // Only one of the two words gets through.
            try await world.send("ACL", "SETUSER", "default", RedisWord("-" + word))
            await #expect(throws: QueueError.self) { try await world.queue.told(alarm) }
            try await world.send("ACL", "SETUSER", "default", RedisWord("+" + word))
            for alarm in try await world.queue.takeAlarms(worker: "w2", patience: .zero) {
                try await world.queue.told(alarm)
            }
            #expect(try await world.queue.overview().untoldAlarms == 0)
        }
    }

    @Test func `comes once for each cause, and an all-clear after it`() async throws {
        try await withQueue { world in
            _ = try await world.queue.pause(reason: "manual", act: QueueWorld.agent)
            _ = try await world.queue.pause(reason: "manual", act: QueueWorld.agent)
            _ = try await world.queue.resume(act: QueueWorld.agent)
            #expect(try await world.queue.takeAlarms(worker: "w1").map(\.kind) == ["paused", "resumed"])
        }
    }

    @Test func `is raised by the first 429 of a block and by no further one`() async throws {
        try await withQueue { world in
            let jobs = [try await world.sending("case-1"), try await world.sending("case-2")]
            for job in jobs {
                _ = try await world.queue.block(
                    job, for: .seconds(60), ending: .answered, next: world.next(job), .rateLimited)
            }
            #expect(try await world.queue.takeAlarms(worker: "w1").map(\.kind) == ["rateLimited"])
        }
    }
}
