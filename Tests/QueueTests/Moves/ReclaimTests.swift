import Queue
import Redis
import Refunds
import Testing

/// reclaim: sending → unclear | dead
@Suite struct ReclaimTests {
    @Test func `a dead worker's jobs are due again once their requests can't be under way any more`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1", worker: "dead")
            _ = try await world.sending("other", worker: "alive")
            try await world.advance(.seconds(10))
            #expect(try await world.queue.reclaim(from: "dead") == 1)
            let fields = try await world.fields("case-1")
            #expect(fields["state"] == "unclear" && fields["unclear"] == "1" && fields["lost"] == "1")
            #expect(
                try await world.score("case-1", in: world.queue.keys.later) == job.departedMicroseconds + 30_000_000)
            #expect(try await world.state("other") == "sending")
            try await world.advance(.seconds(15))
            #expect(try await world.lease().jobs.isEmpty)
            try await world.advance(.seconds(3))
            let again = try await world.lease().jobs
            #expect(again.map(\.id) == ["case-1"] && again[0].referenceId == job.referenceId && again[0].isOpen)
        }
    }

    @Test func `a long dead worker's jobs are due at once`() async throws {
        try await withQueue { world in
            _ = try await world.sending("case-1", worker: "dead")
            try await world.advance(.seconds(50))
            #expect(try await world.queue.reclaim(from: "dead") == 1)
            #expect(try await world.score("case-1", in: world.queue.keys.later) == world.now)
        }
    }

    @Test func `all of a hundred jobs are taken over, each once`() async throws {
        try await withQueue { world in
            for number in 0..<100 { try await world.enqueue("case-\(number)") }
            #expect(
                try await world.lease(worker: "dead", slots: 100, rate: GateRate(requestsPerSecond: 100)).jobs.count
                    == 100)
            #expect(try await world.queue.reclaim(from: "dead") == 100)
            #expect(try await world.queue.reclaim(from: "dead") == 0)
            #expect(try await world.census().members("later").count == 100)
        }
    }

    @Test func `reclaimed a third time the job is dead and its id open`() async throws {
        try await withQueue { world in
            try await world.enqueue("case-1")
            for _ in 0..<3 {
                _ = try await world.leaseAfter(.seconds(31), worker: "dead")
                #expect(try await world.queue.reclaim(from: "dead") == 1)
            }
            let letter = try #require(try await world.queue.deadLetter("case-1"))
            #expect(letter.reason == "workerLost" && letter.isOpen)
            #expect(try await world.queue.reclaim(from: "dead") == 0)
        }
    }

    @Test func `nobody's jobs are nobody's`() async throws {
        try await withQueue { world in
            _ = try await world.sending("case-1")
            let before = try await world.snapshot()
            #expect(try await world.queue.reclaim(from: "stranger") == 0)
            #expect(try await world.snapshot() == before)
        }
    }
}
