import AppStoreSimulator
import Foundation
import Lifecycle
import Queue
import Redis
import Refunds
import TestSupport
import Testing

@Suite struct `Five a second` {
    /// A stall of the simulator's makes its stamps worthless for a while; then the test is done once more.
    private func conclusively(_ body: (Shared<Bool>) async throws -> JournalAudit.Rate?) async throws {
        for attempt in 1...2 {
            let isDisturbed = Shared(false)
            let rate = try #require(try await body(isDisturbed))
            print("most in a second: \(rate.mostInASecond), \(rate.judgement)")
            #expect(rate.judgement.breaches == 0)
            if rate.judgement.inconclusive == 0, !isDisturbed.value { return }
            print("try \(attempt) proves nothing: this machine stalled the simulator")
        }
        Issue.record("the machine stalls the simulator too much for any proof")
    }

    @Test func `is kept by four processes, which also make good use of it`() async throws {
        try await conclusively { isDisturbed in
            var rate: JournalAudit.Rate?
            try await withProgram {
                $0.scenario = "latencyMs: 80"
            } _: { world in
                _ = try await world.workers(4)
                let jobs = TestJob.make(150)
                try await world.add(jobs)
                try await eventually("all have arrived", within: .seconds(60)) {
                    await world.simulator.entries.count >= jobs.count
                }
                #expect(try await world.workUntilIdle() == .code(0))
                let books = try await world.books(jobs)
                #expect(books.breaches == [])
                #expect(books.states == [.accepted: jobs.count])
                #expect(books.entries.count == jobs.count)
                let stamps = books.entries.map(\.nanoseconds)
                let span = Double((stamps.max() ?? 0) - (stamps.min() ?? 0)) / 1e9
                let late = try await world.ledger("unsent").count
                print(
                    "150 jobs, four processes: \(span) s, \(Int(29 / span * 100)) % of what is allowed, "
                        + "\(late) permits too late; \(books.summary)")
                // 29 windows of a second and the guard are 29.7 s. Where even the simulator's loop was kept from
                // the processor, four workers and a Redis were too: then the time says nothing.
                isDisturbed.value = span > 31.5 && books.report.worstStallNs > 250_000_000
                #expect(span <= 31.5 || isDisturbed.value)
                rate = books.report.rates.first
            }
            return rate
        }
    }

    /// The worst moment for a stall: permits are in the worker's socket, and it sleeps for 900 ms. Were
    /// they still good then, its five would come beside the other workers' five.
    @Test func `is kept by workers that stall for 900 ms with permits in their hands`() async throws {
        try await conclusively { _ in
            var rate: JournalAudit.Rate?
            try await withProgram { world in
                let stalls = Shared(0)
                let stallers = [try await Staller(world, "one", stalls), try await Staller(world, "two", stalls)]
                defer { for staller in stallers { staller.relay.stop() } }
                // Behind a relay, too, or it would always be the first to ask.
                let relay = Relay(.unix(world.folder["steady.sock"]), to: world.folder["redis.sock"])
                defer { relay.stop() }
                let steady = try await world.worker(
                    configuration: try world.configuration("steady.json5", redis: world.folder["steady.sock"]))
                try await world.isAtWork(steady)
                let jobs = TestJob.make(20)
                try await world.add(jobs)
                try await eventually("all are accepted", within: .seconds(60)) {
                    try await world.queue().overview().isIdle
                }
                let books = try await world.books(jobs)
                let late = try await world.ledger("unsent").count { $0["reason"] == "late" }
                print("\(stalls.value) stalls of 900 ms, \(late) permits too late: \(books.summary)")
                #expect(stalls.value > 0 && late > 0)
                #expect(books.breaches == [])
                #expect(books.states == [.accepted: jobs.count])
                rate = books.report.rates.first
            }
            return rate
        }
    }

    @Test func `is kept by workers that stall for 900 ms at any moment`() async throws {
        let seed = UInt64.random(in: 1...1_000_000)
        try await conclusively { _ in
            var random = Seeded(seed)
            var rate: JournalAudit.Rate?
            try await withProgram { world in
                let crew = try await world.workers(3)
                let jobs = TestJob.make(55)
                try await world.add(jobs)
                while await world.simulator.entries.count < 45 {
                    let victim = crew[Int.random(in: crew.indices, using: &random)]
                    freeze(victim.pid)
                    await pause(.milliseconds(900))
                    await victim.kill(SIGCONT)
                    await pause(.milliseconds(Int.random(in: 1...100, using: &random)))
                }
                #expect(try await world.workUntilIdle() == .code(0))
                let books = try await world.books(jobs)
                print("stalls at random, seed \(seed): \(books.summary)")
                #expect(books.breaches == [], "seed \(seed)")
                #expect(books.states == [.accepted: jobs.count])
                rate = books.report.rates.first
            }
            return rate
        }
    }
}

/// A worker that is stopped for 900 ms when it has been given permits, before it can read of them.
private struct Staller {
    let relay: Relay
    /// Two that stall every time can wake each other for ever, and no job is ever sent.
    private static let most = 12

    init(_ world: ProgramWorld, _ name: String, _ stalls: Shared<Int>) async throws {
        let pid = Promised<Int32>()
        relay = Relay(.unix(world.folder[name]), to: world.folder["redis.sock"]) { bytes in
            guard bytes.contains("requestReferenceId") else { return .pass }
            let isToStall = stalls.change { count in
                guard count < Self.most else { return false }
                count += 1
                return true
            }
            guard isToStall else { return .pass }
            freeze(pid.value)
            Thread.detachNewThread {
                Thread.sleep(forTimeInterval: 0.9)
                kill(pid.value, SIGCONT)
            }
            return .pass
        }
        let file = try world.configuration("\(name).json5", redis: world.folder[name])
        let worker = try await world.worker(configuration: file)
        pid.keep(worker.pid)
        try await world.isAtWork(worker)
    }
}
