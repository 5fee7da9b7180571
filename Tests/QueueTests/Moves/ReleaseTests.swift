import Queue
import Redis
import Refunds
import Testing

/// release: sending → queued | waiting | unclear
@Suite struct ReleaseTests {
    @Test func `unsent work goes to the front, and permit and attempt come back`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            try await world.enqueue("newer")
            #expect(try await world.queue.release(job, why: "draining") == .to(.queued))
            #expect(try await world.place("case-1") == [.ready("normal")])
            #expect(try await world.departures().isEmpty)
            #expect(try await world.census().purchases["T-case-1"]?["owner"] == nil)
            let again = try await world.lease(worker: "w2").jobs
            #expect(again.map(\.id) == ["case-1", "newer"])
            #expect(again[0].attempts == 1 && again[0].sends == 1 && again[0].referenceId == job.referenceId)
            #expect(try #require(Int(again[0].fence)) > Int(job.fence) ?? 0)
            #expect(try await world.ledger("case-1").map { $0["kind"] } == ["request", "unsent", "request"])
            #expect(try await world.ledger("case-1", kind: "unsent").first?["reason"] == "draining")
            #expect(try await world.queue.show("case-1")?.attempts.map(\.number) == [1])
        }
    }

    @Test func `an open id stays open when its repeat is handed back`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            _ = try await world.queue.postpone(job, for: .zero, ending: .unclear, next: nil, .timedOut)
            let again = try await world.leaseAfter(.seconds(2))
            #expect(try await world.queue.release(again, why: "late") == .to(.unclear))
            #expect(try await world.place("case-1") == [.ready("normal")])
            #expect(try await world.census().purchases["T-case-1"]?["owner"] == "case-1")
            let third = try await world.leaseOne()
            #expect(third.referenceId == job.referenceId && third.isOpen && third.sends == 2)
        }
    }

    @Test func `its follower may go first if it is more urgent`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1", transaction: "T", skus: ["a"])
            try await world.enqueue("urgent", transaction: "T", skus: ["b"], priority: .urgent)
            #expect(try await world.lease().jobs.isEmpty)
            _ = try await world.queue.release(job, why: "late")
            #expect(try await world.lease().jobs.map(\.id) == ["urgent"])
            #expect(try await world.place("case-1") == [.line("T")])
        }
    }

    @Test func `it is handed back once`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            _ = try await world.sending("case-2")
            _ = try await world.queue.release(job, why: "late")
            let before = try await world.snapshot()
            #expect(try await world.queue.release(job, why: "late") == .stale)
            #expect(try await world.snapshot() == before)
        }
    }

    @Test func `what a lost answer of lease gave is disowned, what is known is kept`() async throws {
        try await withQueue { world in
            for number in 0..<4 { try await world.enqueue("case-\(number)") }
            let known = try await world.leaseOne()
            _ = try await world.lease(slots: 2)
            _ = try await world.lease(worker: "w2", slots: 1)
            #expect(try await world.queue.disown(worker: "w1", except: [known.id]) == 2)
            #expect(Set(try await world.census().members("leases")) == ["case-0", "case-3"])
            #expect(try await world.departures().count == 2)
            #expect(try await world.queue.disown(worker: "w1", except: [known.id]) == 0)
        }
    }
}
