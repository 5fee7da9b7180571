import AppStoreSimulator
import Foundation
import Lifecycle
import Queue
import Redis
import Refunds
import TestSupport
import Testing

@Suite struct `A worker that is frozen` {
    /// What its successor hears from Apple meanwhile.
    struct Hearing: Sendable, CustomTestStringConvertible {
        let what: String
        let rules: String
        let states: [JobState: Int]
        var testDescription: String { what }
    }

    @Test(
        arguments: [
            Hearing(what: "200", rules: "", states: [.accepted: 5]),
            Hearing(
                what: "429 first", rules: "{ when: { arrivals: 1 }, then: { status: 429, retryAfterMs: 500 } }",
                states: [.accepted: 5]),
            // No longer a definite answer, for the frozen worker's request may have arrived before it.
            Hearing(
                what: "4000133", rules: "{ when: { transactionId: '200000000000000*' }, then: '4000133' }",
                states: [.unclear: 5]),
        ], Wire.versions)
    func `between lease and write sends nothing once its successor was answered`(
        _ hearing: Hearing, over wire: Wire
    ) async throws {
        try await withProgram { shape in
            shape.wire = wire
            // A handshake on a busy machine takes its time, too.
            shape.leaseSeconds = wire == .plain ? 1.5 : 4.5
            shape.requestTimeoutSeconds = wire == .plain ? 1 : 3
            shape.scenario = "repeats: 'process-twice', rules: [\(hearing.rules)]"
        } _: { world in
            let pid = Promised<Int32>()
            let frozen = Once()
            let relay = Relay(.unix(world.folder["relay.sock"]), to: world.folder["redis.sock"]) { bytes in
                // Only an answer of lease bears bodies: the worker has been given jobs and has sent none of them.
                guard bytes.contains("requestReferenceId"), frozen.take() else { return .pass }
                freeze(pid.value)
                frozen.set()
                return .pass
            }
            defer { relay.stop() }
            let jobs = TestJob.make(5)
            try await world.add(jobs)
            let file = try world.configuration("relayed.json5", redis: world.folder["relay.sock"])
            let worker = try await world.worker(configuration: file)
            pid.keep(worker.pid)
            try await eventually("the worker is frozen") { frozen.hasHappened }

            // Its leases run out, and a successor sees the jobs through.
            _ = try world.configuration()
            #expect(try await world.workUntilIdle() == .code(0))
            let before = try await world.books(jobs)
            #expect(before.breaches == [])
            let attempts = before.records.mapValues { $0.attempts.map(\.result) }
            let unsent = try await world.ledger("unsent")
            #expect(before.states == hearing.states, "\(attempts), \(unsent)")
            #expect(before.lostAttempts > 0)

            await worker.kill(SIGCONT)
            // Nobody else is there to serve this one: it shows that the worker is through with what it held.
            let later = TestJob.make(1, from: 800)
            try await world.add(later)
            try await eventually("the thawed worker serves again") {
                try await world.queue().state(of: later[0].id) == .accepted
            }
            let after = try await world.books(jobs + later)
            #expect(after.breaches == [])
            #expect(after.entries.count == before.entries.count + 1, "it sent what was no longer its own")
        }
    }

    @Test(arguments: Wire.versions)
    func `for longer than its lease, at any moment, breaks nothing`(over wire: Wire) async throws {
        let seed = UInt64.random(in: 1...1_000_000)
        var random = Seeded(seed)
        try await withProgram { shape in
            shape.wire = wire
            shape.requestsPerSecond = 25
            shape.leaseSeconds = 0.7
            shape.requestTimeoutSeconds = 0.4
            shape.scenario = """
                latencyMs: 250, seed: \(seed), rules: [
                  { when: { probability: 0.1 }, then: { status: 429, retryAfterMs: 600 } },
                  { when: { probability: 0.1 }, then: "cut-after" }]
                """
        } _: { world in
            let freezes = wire == .plain ? 8 : 4
            let crew = try await world.workers(3)
            let jobs = TestJob.make(30 * freezes)
            try await world.add(jobs)
            for round in 1...freezes {
                // While something is under way; in turn who holds it and anybody.
                let seen = await world.calls().count
                try await eventually("a request arrives") { await world.calls().count > seen }
                await pause(.milliseconds(Int.random(in: 0...60, using: &random)))
                var victim = crew[Int.random(in: crew.indices, using: &random)]
                if round.isMultiple(of: 2) { victim = crew[try await world.sender(among: crew)] }
                freeze(victim.pid)
                await pause(.milliseconds(Int.random(in: 750...1000, using: &random)))
                await victim.kill(SIGCONT)
            }
            #expect(try await world.workUntilIdle() == .code(0))
            let books = try await world.books(jobs)
            print("froze workers \(freezes) times, \(wire.rawValue), seed \(seed): \(books.summary)")
            #expect(books.breaches == [], "seed \(seed)")
            #expect(books.lostAttempts > 0)
        }
    }
}
