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

    @Test func `doesn't bring a repeat forward: neither that of a worker found dead, nor one that was waiting`()
        async throws
    {
        try await withQueue { world in
            _ = try await world.sending("found-dead")
            _ = try await world.sending("waiting", worker: "w2")
            #expect(try await world.queue.reclaim(from: "w2") == 1)
            let before = try await world.now
            try await world.advance(.seconds(3600))
            #expect(try await world.queue.reclaim(from: "w1", expected: before) == 1)
            #expect(try await world.lease(worker: "w3", expected: world.now).jobs.isEmpty)
            try await world.advance(QueueWorld.requestTimeout - .milliseconds(1))
            #expect(try await world.lease(worker: "w3", expected: world.now).jobs.isEmpty)
            try await world.advance(.milliseconds(1))
            let due = try await world.lease(worker: "w3", expected: world.now).jobs
            #expect(Set(due.map(\.id)) == ["found-dead", "waiting"])
        }
    }

    @Test func `doesn't bring forward what a person redrives while the lost request may be under way`() async throws {
        try await withQueue { world in
            for worker in ["w1", "w2", "w3"] {
                _ = worker == "w1" ? try await world.sending("case-1") : try await world.leaseOne(worker: worker)
                if worker == "w3" { break }
                #expect(try await world.queue.reclaim(from: worker) == 1)
                try await world.advance(QueueWorld.requestTimeout)
            }
            let before = try await world.now
            try await world.advance(.seconds(3600))
            #expect(try await world.queue.reclaim(from: "w3", expected: before) == 1)
            #expect(try await world.state("case-1") == "dead")
            _ = try await world.queue.redrive("case-1", act: QueueWorld.agent)
            #expect(try await world.lease(worker: "w4", expected: world.now).jobs.isEmpty)
            try await world.advance(QueueWorld.requestTimeout)
            #expect(try await world.lease(worker: "w4", expected: world.now).jobs.map(\.id) == ["case-1"])
        }
    }

    @Test func `and set back again makes nobody wait for the hour that never was`() async throws {
        try await withQueue { world in
            try await world.advance(.seconds(3600))
            _ = try await world.sending("case-1")
            try await world.advance(.seconds(-3600))
            #expect(try await world.queue.reclaim(from: "w1") == 1)
            try await world.advance(QueueWorld.requestTimeout)
            _ = try await world.lease(worker: "w2")
            try await world.advance(.seconds(2))
            #expect(try await world.lease(worker: "w2").jobs.map(\.id) == ["case-1"])
        }
    }
}
