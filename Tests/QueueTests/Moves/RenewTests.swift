import Queue
import Redis
import Refunds
import Testing

/// renew: sending → sending
@Suite struct RenewTests {
    @Test func `a renewed lease runs from now, and nothing else changes`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            let before = try await world.fields("case-1")
            try await world.advance(.seconds(40))
            #expect(
                try await world.queue.renew(worker: "w1", lease: .seconds(60), holding: [(job.id, job.fence)]) == [])
            #expect(try await world.score("case-1", in: world.queue.keys.leases) == world.now + 60_000_000)
            #expect(try await world.fields("case-1") == before)
            try await world.advance(.seconds(59))
            #expect(try await world.lease().jobs.isEmpty)
            #expect(try await world.state("case-1") == "sending")
        }
    }

    @Test func `a lost lease is named and not renewed, the others are`() async throws {
        try await withQueue { world in
            let lost = try await world.sending("lost")
            let kept = try await world.sending("kept")
            _ = try await world.queue.release(lost, why: "late")
            let names = try await world.queue.renew(
                worker: "w1", lease: .seconds(60),
                holding: [(lost.id, lost.fence), (kept.id, kept.fence), ("nobody", "1")])
            #expect(names == ["lost", "nobody"])
            #expect(try await world.census().members("leases") == ["kept"])
        }
    }

    @Test func `neither another worker nor an older fence renews`() async throws {
        try await withQueue { world in
            let old = try await world.sending("case-1")
            try await world.advance(.seconds(61))
            let new = try await world.leaseOne(worker: "w2")
            let renew = { (worker: String, fence: String) in
                try await world.queue.renew(worker: worker, lease: .seconds(600), holding: [("case-1", fence)])
            }
            #expect(try await renew("w1", old.fence) == ["case-1"])
            #expect(try await renew("w1", new.fence) == ["case-1"])
            #expect(try await renew("w2", old.fence) == ["case-1"])
            #expect(try await world.score("case-1", in: world.queue.keys.leases) == world.now + 60_000_000)
            #expect(try await renew("w2", new.fence) == [])
        }
    }

    @Test func `a delay longer than the lease sends once`() async throws {
        try await withQueue { world in
            let due = TestClock.start / 1000 + 7_200_000
            try await world.enqueue("case-1", #","notBefore":\#(due)"#)
            var sent = 0
            for _ in 0..<300 {
                try await world.advance(.seconds(30))
                let jobs = try await world.lease().jobs
                sent += jobs.count
                for job in jobs {
                    _ = try await world.queue.settle(job, httpStatus: 200, signedTransaction: "s", signedRenewal: nil)
                }
            }
            #expect(sent == 1)
        }
    }
}
