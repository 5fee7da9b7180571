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

    @Test func `shortens no lease below the time that a request may take`() async throws {
        try await withQueue { world in
            _ = try await world.sending("case-1")
            let before = try await world.now
            try await world.advance(QueueWorld.leaseTime - .seconds(1))
            #expect(try await world.lease(worker: "w2", expected: before).jobs.isEmpty)
            try await world.advance(QueueWorld.requestTimeout - .milliseconds(1))
            _ = try await world.lease(worker: "w2", expected: world.now)
            #expect(try await world.state("case-1") == "sending")
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
            #expect(try await world.lease(worker: "w2").jobs.isEmpty)
            #expect(try await world.queue.reclaim(from: "w1") == 1)
            try await world.advance(QueueWorld.requestTimeout)
            #expect(try await world.lease(worker: "w2").jobs.map(\.id) == ["case-1"])
        }
    }

    @Test func `brings no repeat forward that a worker took before it could see the step`() async throws {
        try await withQueue { world in
            _ = try await world.sending("case-1")
            #expect(try await world.queue.reclaim(from: "w1") == 1)
            try await world.advance(.seconds(27))
            let before = try await world.now
            try await world.advance(.seconds(4))
            // Too little for the script; the answer shows it to the worker, which hands the job back and tells the gate.
            let void = try await world.lease(worker: "w2", expected: before).jobs
            for job in void { _ = try await world.queue.release(job, why: "late") }
            #expect(try await world.lease(worker: "w2", sawStep: true).jobs.isEmpty)
            try await world.advance(.milliseconds(1100))
            #expect(try await world.lease(worker: "w2", expected: world.now).jobs.isEmpty)
            try await world.advance(QueueWorld.requestTimeout)
            #expect(try await world.lease(worker: "w2", expected: world.now).jobs.map(\.id) == ["case-1"])
        }
    }

    /// A lost job that is dead, with its last request still under way.
    private func deadAndOpen(_ id: String, in world: QueueWorld) async throws {
        _ = try await world.sending(id)
        for worker in ["w1", "w2"] {
            #expect(try await world.queue.reclaim(from: worker) == 1)
            try await world.advance(QueueWorld.requestTimeout)
            _ = try await world.leaseOne(worker: worker == "w1" ? "w2" : "w3")
        }
        #expect(try await world.queue.reclaim(from: "w3") == 1)
        #expect(try await world.state(id) == "dead")
    }

    @Test(arguments: [true, false])
    func `doesn't bring forward what was redriven: before the step, or before anybody had told of it`(
        isBefore: Bool
    ) async throws {
        try await withQueue { world in
            try await deadAndOpen("case-1", in: world)
            if isBefore { _ = try await world.queue.redrive("case-1", act: QueueWorld.agent) }
            let before = try await world.now
            try await world.advance(.seconds(3600))
            if !isBefore { _ = try await world.queue.redrive("case-1", act: QueueWorld.agent) }
            #expect(try await world.lease(worker: "w4", expected: before).jobs.isEmpty)
            try await world.advance(.milliseconds(1100))
            #expect(try await world.lease(worker: "w4", expected: world.now).jobs.isEmpty)
            try await world.advance(QueueWorld.requestTimeout)
            #expect(try await world.lease(worker: "w4", expected: world.now).jobs.map(\.id) == ["case-1"])
        }
    }

    @Test func `lets no other job of a purchase past a repeat that may be under way`() async throws {
        try await withQueue { world in
            let first = try await world.sending("case-1", transaction: "T1")
            #expect(try await world.enqueue("case-2", transaction: "T1", skus: ["other"]).isEnqueued)
            #expect(try await world.queue.reclaim(from: "w1") == 1)
            try await world.advance(QueueWorld.requestTimeout)
            #expect(try await world.leaseOne(worker: "w2").id == "case-1")
            // What was sent first is answered while the repeat is on its way.
            _ = try await world.queue.settle(first, httpStatus: 200, signedTransaction: "s", signedRenewal: nil)
            let before = try await world.now
            try await world.advance(.seconds(3600))
            #expect(try await world.lease(worker: "w3", expected: before).jobs.isEmpty)
            try await world.advance(.milliseconds(1100))
            #expect(try await world.lease(worker: "w3", expected: world.now).jobs.isEmpty)
            try await world.advance(QueueWorld.requestTimeout)
            #expect(try await world.lease(worker: "w3", expected: world.now).jobs.map(\.id) == ["case-2"])
        }
    }
}

@Suite struct `A clock that is set back` {
    @Test func `and then a little forward brings no repeat forward`() async throws {
        try await withQueue { world in
            _ = try await world.sending("case-1")
            var before = try await world.now
            try await world.advance(.seconds(-3600))
            #expect(try await world.lease(worker: "w2", expected: before).jobs.isEmpty)
            #expect(try await world.queue.reclaim(from: "w1") == 1)
            before = try await world.now
            try await world.advance(.seconds(4))
            #expect(try await world.lease(worker: "w2", expected: before).jobs.isEmpty)
            #expect(try await world.lease(worker: "w2", sawStep: true).jobs.isEmpty)
            try await world.advance(QueueWorld.requestTimeout - .milliseconds(1))
            #expect(try await world.lease(worker: "w2", expected: world.now).jobs.isEmpty)
            try await world.advance(.milliseconds(1))
            #expect(try await world.lease(worker: "w2", expected: world.now).jobs.map(\.id) == ["case-1"])
        }
    }

    @Test func `makes nobody wait for the hour that never was, also where a step forward was told`() async throws {
        try await withQueue { world in
            var before = try await world.now
            try await world.advance(.seconds(3600))
            _ = try await world.lease(worker: "w1", expected: before)
            try await world.advance(.seconds(2))
            before = try await world.now
            try await world.advance(.seconds(-3600))
            #expect(try await world.lease(worker: "w1", expected: before).jobs.isEmpty)
            _ = try await world.sending("case-1")
            #expect(try await world.queue.reclaim(from: "w1") == 1)
            try await world.advance(QueueWorld.requestTimeout)
            let due = try await world.lease(worker: "w2", expected: world.now).jobs
            #expect(due.map(\.id) == ["case-1"])
        }
    }

    /// One worker sends while the clock is wrong; the other read it before and asks again after.
    @Test(arguments: [(3_000, 3_000), (3_600_000, 3_600_000), (3_600_000, 1_800_000)])
    func `and then forward hides nothing from a worker that saw neither`(back: Int, forward: Int) async throws {
        try await withQueue { world in
            let before = try await world.now
            try await world.advance(.milliseconds(-back))
            for number in 1...20 { #expect(try await world.enqueue("case-\(number)").isEnqueued) }
            #expect(try await world.lease(worker: "w1", expected: before).jobs.count == 0, "what left is not known")
            try await world.advance(.milliseconds(1100))
            #expect(try await world.lease(worker: "w1", expected: world.now).jobs.count == 5)
            try await world.advance(.milliseconds(forward))
            let lease = try await world.lease(worker: "w2", expected: before + 1_100_000)
            #expect(lease.jobs.count == 0, "ten left in one second")
            #expect(try await world.census().members("leases").count == 5, "jobs were taken from a worker that lives")
        }
    }
}
