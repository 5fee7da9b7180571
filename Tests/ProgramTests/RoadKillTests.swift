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
    @Test(arguments: ["replay-200", "reject-4000097", "process-twice"].map(Apple.init))
    func `lose no job and pay none twice`(_ apple: Apple) async throws {
        let seed = UInt64.random(in: 1...1_000_000)
        var random = Seeded(seed)
        try await withProgram { shape in
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
            var crew = try await world.workers(3)
            let jobs = TestJob.make(150)
            try await world.add(jobs)
            for round in 1...10 {
                // In turn: whoever waits for Apple's answer, and anybody at any moment.
                var victim = Int.random(in: crew.indices, using: &random)
                if round.isMultiple(of: 2) {
                    victim = try await sender(among: crew, in: world)
                } else {
                    await pause(.milliseconds(Int.random(in: 50...350, using: &random)))
                }
                await crew.remove(at: victim).kill(SIGKILL)
                crew.append(try await world.worker())
            }
            #expect(try await world.workUntilIdle() == .code(0))
            for worker in crew { await worker.stop() }
            let books = try await world.books(jobs)
            print("killed ten workers, repeats \(apple.repeats), seed \(seed): \(books.summary)")
            #expect(books.breaches == [], "seed \(seed)")
            // A kill that hit nobody at work proves nothing.
            #expect(books.lostAttempts > 0)
            #expect(books.report.repeats > 0)
        }
    }

    /// Which of the workers holds the youngest lease, and so most likely waits for Apple's answer.
    private func sender(among crew: [ChildProcess], in world: ProgramWorld) async throws -> Int {
        var found: Int?
        try await eventually("a worker waits for an answer") {
            let leased = try await world.client.send(["ZRANGE", "kulanz:{audiobooks}:leases", "0", "0", "REV"]).strings
            guard let job = leased?.first,
                let name = try await world.client.send(["HGET", RedisWord("kulanz:{audiobooks}:job:\(job)"), "worker"])
                    .string
            else { return false }
            found = crew.firstIndex { name.contains("-\($0.pid)-") }
            return found != nil
        }
        return try #require(found)
    }
}
