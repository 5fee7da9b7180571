import Queue
import Redis
import Refunds
import Testing

/// block: sending → queued | unclear
@Suite struct BlockTests {
    @Test func `a 429 costs the job no attempt, and it goes back to the front`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            try await world.enqueue("newer")
            #expect(
                try await world.queue.block(job, for: .seconds(10), ending: .answered, next: nil, .rateLimited)
                    == .to(.queued))
            #expect(try await world.place("case-1") == [.ready("normal")])
            #expect(try await world.departures().count == 1, "it did leave: its permit is used")
            #expect(try await world.ledger("case-1").map { $0["kind"] } == ["request", "blocked", "answer"])
            #expect(try await world.queue.overview().blockedUntil == (world.now + 10_000_000) / 1000)
            try await world.advance(.seconds(10))
            let again = try await world.lease().jobs
            #expect(
                again.map(\.id) == ["case-1", "newer"] && again[0].attempts == 1
                    && again[0].referenceId == job.referenceId)
            let attempts = try #require(try await world.queue.show("case-1")?.attempts)
            #expect(
                attempts.map(\.number) == [1, 2] && attempts[0].result == "rateLimited" && attempts[0].httpStatus == 429
            )
        }
    }

    @Test func `the later of two blocks wins`() async throws {
        try await withQueue { world in
            let rate = GateRate()
            for number in 0..<3 { try await world.enqueue("case-\(number)") }
            let jobs = try await world.lease(rate: rate).jobs
            let now = try await world.now
            for (job, seconds) in zip(jobs, [20, 50, 10]) {
                _ = try await world.queue.block(job, for: .seconds(seconds), ending: .answered, next: nil, .rateLimited)
            }
            #expect(try await world.lease().blockedUntilMicroseconds == now + 50_000_000)
        }
    }

    @Test func `a closed id may be replaced, an open one is repeated`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            #expect(
                try await world.queue.block(
                    job, for: .seconds(1), ending: .answered, next: world.next(job), .rateLimited) == .to(.queued))
            let second = try await world.leaseAfter(.seconds(2))
            #expect(second.referenceId == world.next(job))
            _ = try await world.queue.postpone(second, for: .zero, ending: .unclear, next: nil, .timedOut)
            let third = try await world.leaseAfter(.seconds(2))
            #expect(
                try await world.queue.block(
                    third, for: .seconds(1), ending: .answered, next: world.next(third), .rateLimited)
                    == .to(.unclear))
            let fourth = try await world.leaseAfter(.seconds(2))
            #expect(fourth.referenceId == second.referenceId && fourth.body == second.body && fourth.isOpen)
        }
    }

    @Test func `an answer that leaves the id open keeps id and line, whatever was asked for`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            let moved = try await world.queue.block(
                job, for: .seconds(1), ending: .unclear, next: world.next(job), .rateLimited)
            #expect(moved == .to(.unclear))
            #expect(try await world.census().purchases["T-case-1"]?["owner"] == "case-1")
            let again = try await world.leaseAfter(.seconds(2))
            #expect(again.referenceId == job.referenceId && again.body == job.body && again.isOpen)
        }
    }

    @Test func `a 429 to a lost lease still blocks the app, and moves no job`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            try await world.advance(.seconds(61))
            let other = try await world.leaseOne(worker: "w2")
            let before = try await world.fields("case-1")
            #expect(
                try await world.queue.block(job, for: .seconds(10), ending: .answered, next: nil, .rateLimited)
                    == .stale)
            #expect(try await world.fields("case-1") == before)
            #expect(try await world.lease().blockedUntilMicroseconds == world.now + 10_000_000)
            #expect(other.id == "case-1")
        }
    }

    @Test func `one app's block doesn't touch another's`() async throws {
        try await withQueue { world in
            let other = QueueWorld(world.redis, app: "games")
            _ = try await other.lease(slots: 0)
            try await world.advance(.seconds(2))
            let job = try await world.sending("case-1")
            _ = try await world.queue.block(job, for: .seconds(600), ending: .answered, next: nil, .rateLimited)
            try await other.enqueue("case-1")
            let lease = try await other.lease()
            #expect(lease.jobs.map(\.id) == ["case-1"] && lease.blockedUntilMicroseconds == nil)
        }
    }
}
