import Queue
import Redis
import Refunds
import Testing

extension AttemptResult {
    fileprivate static let silent = AttemptResult("unclear")
}

/// The gate while Apple gives no answer that says anything.
@Suite struct `While Apple is down` {
    /// Closes the gate by five unclear answers over `transactions` purchases.
    func fail(_ count: Int, in world: QueueWorld, from first: Int = 1) async throws {
        for number in first..<first + count {
            let job = try await world.sending("case-\(number)")
            _ = try await world.queue.postpone(job, for: .seconds(3600), ending: .unclear, next: nil, .silent)
        }
    }

    @Test func `five unclear answers over three transactions close the gate`() async throws {
        try await withQueue { world in
            try await fail(4, in: world)
            #expect(try await world.queue.overview().nextProbe == nil)
            try await fail(1, in: world, from: 5)
            #expect(try await world.queue.overview().nextProbe != nil)
            try await world.enqueue("next")
            let lease = try await world.lease()
            #expect(lease.jobs.isEmpty)
            #expect(lease.wait == .seconds(2))
            #expect(try await world.queue.takeAlarms(worker: "w1").map(\.kind) == ["appleDown"])
        }
    }

    @Test(arguments: [401, 403])
    func `a refusal that pauses the app says that Apple is up`(_ status: Int) async throws {
        try await withQueue { world in
            try await fail(5, in: world)
            try await world.enqueue("next")
            try await world.advance(.seconds(2))
            let probe = try await world.leaseOne()
            _ = try await world.queue.pause(
                reason: "forbidden", act: QueueWorld.agent, because: probe, ending: .answered, next: nil,
                AttemptResult("refused", httpStatus: status))
            #expect(try await world.queue.overview().nextProbe == nil)
            #expect(try await world.queue.takeAlarms(worker: "w1").map(\.kind) == ["appleDown", "paused", "appleBack"])
        }
    }

    @Test func `five unclear answers of one transaction don't`() async throws {
        try await withQueue { world in
            for _ in 1...6 {
                try await world.advance(.seconds(40))
                let job: LeasedJob
                if let again = try await world.lease().jobs.first {
                    job = again
                } else {
                    job = try await world.sending("case-1")
                }
                _ = try await world.queue.postpone(job, for: .zero, ending: .unclear, next: nil, .silent)
            }
            #expect(try await world.queue.overview().nextProbe == nil)
        }
    }

    @Test func `one probe goes for each step, none beside it, and it burns no attempt`() async throws {
        try await withQueue { world in
            try await fail(5, in: world)
            for number in 1...3 { try await world.enqueue("next-\(number)") }
            var step = 2
            for _ in 1...7 {
                try await world.advance(.seconds(step))
                let lease = try await world.lease()
                #expect(lease.jobs.count == 1)
                #expect(try await world.lease(worker: "w2").jobs.isEmpty)
                _ = try await world.queue.postpone(lease.jobs[0], for: .zero, ending: .unclear, next: nil, .silent)
                step = min(step * 2, 60)
                #expect(try await world.lease().jobs.isEmpty)
            }
            #expect(step == 60)
            let attempts = try await world.fields("next-1")["attempts"]
            #expect(attempts == "0")
        }
    }

    @Test func `time-outs of requests that left before the gate closed don't put off the next probe`() async throws {
        try await withQueue { world in
            for number in 1...10 { try await world.enqueue("case-\(number)") }
            var jobs = try await world.lease(slots: 5).jobs
            try await world.advance(.seconds(2))
            jobs += try await world.lease(slots: 5).jobs
            try #require(jobs.count == 10)
            try await world.advance(.seconds(30))
            for job in jobs {
                _ = try await world.queue.postpone(job, for: .seconds(3600), ending: .unclear, next: nil, .silent)
            }
            let now = try await world.now
            #expect(try await world.queue.overview().nextProbe == now / 1000 + 2000)
            #expect(try await world.fields("case-10")["attempts"] == "1")
        }
    }

    @Test func `any answer that says something opens the gate, and an all-clear goes out`() async throws {
        try await withQueue { world in
            try await fail(5, in: world)
            for number in 1...8 { try await world.enqueue("next-\(number)") }
            try await world.advance(.seconds(2))
            let probe = try await world.leaseOne()
            _ = try await world.queue.bury(probe, ending: .answered, reason: "rejected", hint: "", .rejected)
            try await world.advance(.seconds(2))
            #expect(try await world.lease().jobs.count == 5)
            #expect(try await world.queue.takeAlarms(worker: "w1").map(\.kind) == ["appleDown", "appleBack"])
        }
    }

    @Test func `twenty thousand jobs survive an hour of it without one dead letter`() async throws {
        try await withQueue { world in
            // Enqueued as raw entries: what counts is that they are still there.
            try await fail(5, in: world)
            for batch in 0..<20 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<1000 {
                        group.addTask { try await world.enqueue("bulk-\(batch)-\(number)", priority: .bulk) }
                    }
                    try await group.waitForAll()
                }
            }
            let start = try await world.now
            var probes = 0
            while try await world.now < start + 3_600_000_000 {
                let lease = try await world.lease()
                for job in lease.jobs {
                    probes += 1
                    _ = try await world.queue.postpone(job, for: .seconds(5), ending: .unclear, next: nil, .silent)
                }
                try await world.advance(lease.wait.map { min($0, .seconds(60)) } ?? .seconds(1))
            }
            let overview = try await world.queue.overview()
            #expect(overview.dead == 0)
            #expect((60...75).contains(probes), "\(probes) probes in an hour")
            #expect(overview.lanes.values.reduce(0, +) + overview.later == 20_005)
        }
    }
}
