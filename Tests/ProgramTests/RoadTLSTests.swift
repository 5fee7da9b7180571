import AppStoreSimulator
import Foundation
import Lifecycle
import Queue
import Redis
import Refunds
import TestSupport
import Testing

@Suite struct `A cold connection` {
    /// A handshake takes longer than a permit lives. Were permits simply asked for again, the same would go on for ever.
    @Test(.enabled(if: TLSFront.isInstalled, "nghttpx is not installed; scripts/setup installs it"))
    func `makes permits late, and jobs are sent all the same, over HTTP 2 and within the limit`() async throws {
        try await withProgram { shape in
            // A proxy on a busy machine adds jitter to the path; the limit at Apple's door holds as far as the guard does.
            shape.guardMs = 300
        } _: { world in
            let front = try await TLSFront.start(world, delay: .milliseconds(350))
            defer { front.relay.stop() }
            let jobs = TestJob.make(30)
            try await world.add(jobs)
            _ = try world.configuration(baseURL: front.baseURL, caFile: front.caFile)
            let crew = try await world.workers(2)
            // Every connection goes cold twice on the way.
            for part in [10, 20] {
                try await eventually("\(part) have arrived") { await world.calls().count >= part }
                front.relay.cutAll()
            }
            try await eventually("all have ended") { try await world.queue().overview().isIdle }
            for worker in crew { await worker.stop() }
            let books = try await world.books(jobs)
            let late = try await world.ledger("unsent")
            print("\(front.relay.connections) cold connections, \(late.count) permits too late: \(books.summary)")
            #expect(books.breaches == [])
            #expect(books.states == [.accepted: jobs.count])
            #expect(front.protocols == ["h2"])
            #expect(late.count > 0, "the connection was never cold")
            // Five permits at a time, a few rounds for each time that a worker's connection went cold.
            #expect(late.count <= 100, "permits were burnt in a loop")
        }
    }
}
