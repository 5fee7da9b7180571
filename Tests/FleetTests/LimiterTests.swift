import AppStoreSimulator
import HTTP
import Queue
import Redis
import Refunds
import TestSupport
import Testing

@testable import Fleet

@Suite struct `Four workers behind one gate` {
    @Test func `never send six in a sliding second, and lose little of the five`() async throws {
        try await withFleet { scenario in
            scenario.latencyMs = 20
        } _: { world in
            let jobs = 60
            for number in 1...jobs { try await world.add(FleetWorld.job("case-\(number)")) }
            let workers = try (1...4).map { _ in world.worker([try world.app()]) }
            await withTaskGroup(of: Void.self) { group in
                for worker in workers { group.addTask { _ = await worker.run() } }
            }
            let entries = await world.simulator.entries
            let stamps = entries.map(\.nanoseconds).sorted()
            #expect(entries.count { $0.isProcessed } == jobs)
            for (index, stamp) in stamps.enumerated() where index + 5 < stamps.count {
                #expect(stamps[index + 5] - stamp > 1_000_000_000)
            }
            let seconds = Double((stamps.last ?? 0) - (stamps.first ?? 0)) / 1e9
            let unsent = try await world.redis.send("XRANGE", "kulanz:{audiobooks}:ledger", "-", "+").array?.count {
                $0.array?.last?.fields?["kind"]?.string == "unsent"
            }
            print("\(jobs) jobs in \(seconds) s; \(stamps.count) arrivals; \(unsent ?? 0) permits too late")
        }
    }
}
