import Queue
import Redis
import Refunds
import Testing

/// The gate inside `lease`: never more than N departures in a sliding window.
@Suite struct GateTests {
    private func fill(_ world: QueueWorld, _ count: Int) async throws {
        for number in 0..<count { try await world.enqueue("case-\(number)") }
    }

    @Test(arguments: [
        GateRate(), GateRate(requestsPerSecond: 0.5), GateRate(requestsPerSecond: 2.5),
        GateRate(requestsPerSecond: 7, guardMilliseconds: 0), GateRate(requestsPerSecond: 50),
    ])
    func `the next permit comes one window and a guard after the N-th last departure, and not before`(rate: GateRate)
        async throws
    {
        try await withQueue { world in
            try await fill(world, rate.departuresPerWindow * 3)
            let pause = Duration.microseconds(rate.windowMicroseconds + rate.guardMicroseconds)
            for _ in 0..<2 {
                let lease = try await world.lease(slots: 1000, rate: rate)
                #expect(lease.jobs.count == rate.departuresPerWindow)
                #expect(lease.wait == pause)
                try await world.advance(pause - .microseconds(1))
                let early = try await world.lease(slots: 1000, rate: rate)
                #expect(early.jobs.isEmpty && early.wait == .microseconds(1))
                try await world.advance(.microseconds(1))
            }
        }
    }

    @Test func `a trickle and then a backlog never give six in a sliding second`() async throws {
        try await withQueue { world in
            try await fill(world, 40)
            var departed: [Int64] = []
            for step in 0..<300 {
                let lease = try await world.lease(slots: step < 40 ? step % 2 : 10)
                departed += lease.jobs.map(\.departedMicroseconds)
                try await world.advance(.milliseconds(step < 40 ? 130 : 31))
            }
            #expect(departed.count == 40)
            for (first, sixth) in zip(departed, departed.dropFirst(5)) { #expect(sixth - first > 1_000_000) }
        }
    }

    @Test func `forty jobs leave in eight windows with nothing else happening`() async throws {
        try await withQueue { world in
            try await fill(world, 40)
            let start = try await world.now
            var sent = 0
            while sent < 40 {
                let lease = try await world.lease(slots: 64)
                sent += lease.jobs.count
                // Only the timer that `next` asks for; no bell.
                if sent < 40 { try await world.advance(try #require(lease.wait)) }
            }
            #expect(try await world.now - start == 7 * 1_025_000)
        }
    }

    @Test func `exactly one departure is handed back`() async throws {
        try await withQueue { world in
            try await fill(world, 10)
            let jobs = try await world.lease().jobs
            #expect(jobs.count == 5)
            _ = try await world.queue.release(jobs[3], why: "late")
            #expect(try await world.departures().count == 4)
            #expect(try await world.lease().jobs.count == 1)
            #expect(try await world.lease().jobs.isEmpty)
        }
    }

    @Test func `a departure that fell out of the log takes no other one with it`() async throws {
        try await withQueue { world in
            try await fill(world, 20)
            let first = try await world.lease().jobs
            try await world.advance(.milliseconds(1025))
            var departed = first.dropFirst().map(\.departedMicroseconds)
            departed += try await world.lease(slots: 3).jobs.map(\.departedMicroseconds)
            _ = try await world.queue.release(first[0], why: "late")
            departed += try await world.lease().jobs.map(\.departedMicroseconds)
            try await world.advance(.milliseconds(1025))
            departed += try await world.lease().jobs.map(\.departedMicroseconds)
            for (first, sixth) in zip(departed, departed.dropFirst(5)) { #expect(sixth - first > 1_000_000) }
        }
    }

    @Test func `a rate that is lowered and raised again forgets no departure`() async throws {
        try await withQueue { world in
            try await fill(world, 20)
            #expect(try await world.lease().jobs.count == 5)
            try await world.advance(.milliseconds(700))
            #expect(try await world.lease(rate: GateRate(requestsPerSecond: 1.5)).jobs.count == 1)
            #expect(try await world.lease().jobs.isEmpty, "six have left within this second")
            try await world.advance(.milliseconds(325))
            #expect(try await world.lease().jobs.count == 4)
        }
    }

    @Test func `a lowered rate counts from the next call on`() async throws {
        try await withQueue { world in
            try await fill(world, 20)
            #expect(try await world.lease().jobs.count == 5)
            try await world.advance(.milliseconds(1025))
            let slow = GateRate(requestsPerSecond: 1)
            #expect(try await world.lease(rate: slow).jobs.count == 1)
            try await world.advance(.milliseconds(1024))
            #expect(try await world.lease(rate: slow).jobs.isEmpty)
            try await world.advance(.milliseconds(1))
            #expect(try await world.lease(rate: slow).jobs.count == 1)
        }
    }

    // MARK: A server that forgot

    private func expectClosedWindow(_ world: QueueWorld, runId: String) async throws {
        #expect(try await world.lease(runId: runId).jobs.isEmpty)
        try await world.advance(.microseconds(1_024_999))
        #expect(try await world.lease(runId: runId).jobs.isEmpty)
        try await world.advance(.microseconds(1))
        #expect(try await world.lease(runId: runId).jobs.count == 5)
    }

    @Test func `another run id closes one window and is booked once`() async throws {
        try await withQueue { world in
            try await fill(world, 20)
            #expect(try await world.lease().jobs.count == 5)
            try await world.advance(.seconds(5))
            try await expectClosedWindow(world, runId: "run-2")
            #expect(try await world.ledger(kind: "forgotten").count == 1)
        }
    }

    @Test func `a clock that went back by more than a window closes one window`() async throws {
        try await withQueue { world in
            try await fill(world, 20)
            #expect(try await world.lease().jobs.count == 5)
            try await world.advance(.seconds(-3600))
            try await expectClosedWindow(world, runId: "run-1")
            #expect(try await world.ledger(kind: "forgotten").count == 1)
        }
    }

    @Test func `a clock that went back by less closes a window, and another where it was before`() async throws {
        try await withQueue { world in
            try await fill(world, 20)
            #expect(try await world.lease().jobs.count == 5)
            try await world.advance(.milliseconds(-900))
            #expect(try await world.lease().jobs.isEmpty)
            try await world.advance(.milliseconds(900))
            try await expectClosedWindow(world, runId: "run-1")
            #expect(try await world.ledger(kind: "forgotten").count == 2)
        }
    }

    @Test func `a gate that was flushed closes one window`() async throws {
        try await withQueue { world in
            try await fill(world, 5)
            #expect(try await world.lease().jobs.count == 5)
            let now = try await world.now
            try await world.send("FLUSHALL")
            try await world.setClock(now)
            try await fill(world, 10)
            try await expectClosedWindow(world, runId: "run-1")
        }
    }

    @Test func `a block can't outlast what Apple's could after the server forgot`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            _ = try await world.queue.block(job, for: .seconds(1_000_000), ending: .answered, next: nil, .rateLimited)
            let now = try await world.now
            #expect(try await world.lease().blockedUntilMicroseconds == now + 1_000_000_000_000)
            #expect(try await world.lease(runId: "run-2").blockedUntilMicroseconds == now + 75 * 60_000_000)
        }
    }

    @Test func `raw entries of a dead worker are handed out again though the clock went back`() async throws {
        try await withQueue { world in
            try await world.produce("raw")
            #expect(try await world.lease().raw.count == 1)
            try await world.age(.normal)
            try await world.advance(.seconds(-3600))
            #expect(try await world.lease().raw.count == 1)
        }
    }
}
