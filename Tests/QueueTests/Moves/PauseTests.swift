import Queue
import Redis
import Refunds
import Testing

/// pause: (app) running → paused; its job → queued | unclear
@Suite struct PauseTests {
    @Test func `a pause is numbered, booked and announced once`() async throws {
        try await withQueue { world in
            let first = try await world.queue.pause(reason: "unauthorized", act: Act(by: "w1", why: "401 twice"))
            #expect(first.isNew && first.number == 1)
            let second = try await world.queue.pause(reason: "forbidden", act: Act(by: "w2", why: "403"))
            #expect(!second.isNew && second.number == 1)
            let line = try await world.ledger(kind: "paused")
            #expect(
                line.count == 1 && line[0]["reason"] == "unauthorized" && line[0]["by"] == "w1"
                    && line[0]["why"] == "401 twice")
            let alerts = try await world.send("XLEN", .init(world.queue.keys.alerts))
            #expect(alerts == .integer(1))
            let paused = try #require(try await world.queue.overview().paused)
            #expect(paused.reason == "unauthorized" && paused.by == "w1" && paused.why == "401 twice")
            #expect(paused.since == (try await world.now) / 1000)
            _ = try await world.queue.resume(act: QueueWorld.agent)
            let third = try await world.queue.pause(reason: "manual", act: QueueWorld.agent)
            #expect(third.isNew && third.number == 2)
        }
    }

    @Test func `the job whose answer led to it goes back unharmed`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            let pause = try await world.queue.pause(
                reason: "unauthorized", act: QueueWorld.agent, because: job, ending: .answered, next: nil, .refused)
            #expect(pause.isNew)
            #expect(try await world.place("case-1") == [.ready("normal")])
            #expect(try await world.state("case-1") == "queued")
            _ = try await world.queue.resume(act: QueueWorld.agent)
            let again = try await world.leaseAfter(.seconds(2))
            #expect(again.attempts == 1 && again.referenceId == job.referenceId)
            #expect(try await world.queue.show("case-1")?.attempts.first?.result == "refused")
            #expect(try await world.queue.show("case-1")?.attempts.first?.httpStatus == 401)
        }
    }

    @Test func `an open id is repeated after the pause, a closed one may be replaced`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            let next = world.next(job)
            _ = try await world.queue.pause(
                reason: "r", act: QueueWorld.agent, because: job, ending: .answered, next: next, .refused)
            _ = try await world.queue.resume(act: QueueWorld.agent)
            let second = try await world.leaseAfter(.seconds(2))
            #expect(second.referenceId == next)
            _ = try await world.queue.postpone(second, for: .zero, ending: .unclear, next: nil, .timedOut)
            let third = try await world.leaseAfter(.seconds(2))
            _ = try await world.queue.pause(
                reason: "r", act: QueueWorld.agent, because: third, ending: .answered, next: world.next(third), .refused
            )
            #expect(try await world.state("case-1") == "unclear")
            _ = try await world.queue.resume(act: QueueWorld.agent)
            #expect(try await world.leaseAfter(.seconds(2)).referenceId == next)
        }
    }

    @Test func `an answer that leaves the id open keeps id and line, whatever was asked for`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            _ = try await world.queue.pause(
                reason: "r", act: QueueWorld.agent, because: job, ending: .unclear, next: world.next(job), .refused)
            #expect(try await world.state("case-1") == "unclear")
            #expect(try await world.census().purchases["T-case-1"]?["owner"] == "case-1")
            _ = try await world.queue.resume(act: QueueWorld.agent)
            #expect(try await world.leaseAfter(.seconds(2)).referenceId == job.referenceId)
        }
    }

    @Test func `an answer to a lost lease pauses the app and moves no job`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            try await world.advance(.seconds(61))
            _ = try await world.leaseOne(worker: "w2")
            let before = try await world.fields("case-1")
            let pause = try await world.queue.pause(
                reason: "r", act: QueueWorld.agent, because: job, ending: .answered, next: nil, .refused)
            #expect(pause.isNew)
            #expect(try await world.fields("case-1") == before)
        }
    }

    @Test func `a pause leaks to no other app`() async throws {
        try await withQueue { world in
            let other = QueueWorld(world.redis, app: "games")
            _ = try await other.lease(slots: 0)
            try await world.advance(.seconds(2))
            _ = try await world.queue.pause(reason: "r", act: QueueWorld.agent)
            try await other.enqueue("case-1")
            #expect(try await other.lease().jobs.count == 1)
        }
    }
}
