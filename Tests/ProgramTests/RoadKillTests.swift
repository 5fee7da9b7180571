import AppStoreSimulator
import Foundation
import Lifecycle
import Queue
import Redis
import Refunds
import TestSupport
import Testing

@Suite struct `Workers that are killed` {
    struct Apple: Sendable, CustomTestStringConvertible {
        let repeats: String
        var testDescription: String { repeats }
    }

    /// Whatever Apple makes of a repeat: it is one we don't know.
    @Test(arguments: ["replay-200", "reject-4000097", "process-twice"].map(Apple.init), Wire.versions)
    func `lose no job and pay none twice`(_ apple: Apple, over wire: Wire) async throws {
        let seed = UInt64.random(in: 1...1_000_000)
        var random = Seeded(seed)
        try await withProgram { shape in
            shape.wire = wire
            shape.requestsPerSecond = 30
            shape.leaseSeconds = 1.5
            shape.requestTimeoutSeconds = 1
            shape.scenario = """
                repeats: "\(apple.repeats)", latencyMs: 200, seed: \(seed), rules: [
                  { when: { probability: 0.06 }, then: "cut-after" }, { when: { probability: 0.04 }, then: "cut-before" },
                  { when: { probability: 0.04 }, then: "500-after" }, { when: { probability: 0.03 }, then: "hang-after" },
                  { when: { probability: 0.03 }, then: { status: 429, retryAfterMs: 400 } },
                ]
                """
        } _: { world in
            // What changes with the wire shows after a few.
            let kills = wire == .plain ? 10 : 4
            var crew = try await world.workers(3)
            let jobs = TestJob.make(150)
            try await world.add(jobs)
            for round in 1...kills {
                // In turn: whoever waits for Apple's answer, and anybody at any moment.
                var victim = Int.random(in: crew.indices, using: &random)
                if round.isMultiple(of: 2) {
                    victim = try await world.sender(among: crew)
                } else {
                    await pause(.milliseconds(Int.random(in: 50...350, using: &random)))
                }
                await crew.remove(at: victim).kill(SIGKILL)
                crew.append(try await world.worker())
            }
            #expect(try await world.workUntilIdle() == .code(0))
            for worker in crew { await worker.stop() }
            let books = try await world.books(jobs)
            print("killed \(kills) workers, repeats \(apple.repeats), \(wire.rawValue), seed \(seed): \(books.summary)")
            #expect(books.breaches == [], "seed \(seed)")
            // A kill that hit nobody at work proves nothing.
            #expect(books.lostAttempts > 0)
            #expect(books.report.repeats > 0)
        }
    }
}
