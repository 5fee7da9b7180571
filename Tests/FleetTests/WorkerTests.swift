import AppStoreSimulator
import Queue
import Redis
import Refunds
import Testing

@testable import Fleet

@Suite struct `A worker` {
    @Test func `sends what a raw producer adds and records Apple's 200`() async throws {
        try await withFleet { world in
            try await world.add(FleetWorld.job("case-1"))
            let end = await world.worker([try world.app()]).run()
            #expect(end == .idle)
            let record = try #require(try await world.queue.show("case-1"))
            #expect(record.state == .accepted)
            #expect(record.attempts.map(\.result) == ["accepted"])
            let entries = await world.simulator.entries
            #expect(entries.count { $0.isProcessed } == 1)
        }
    }

    @Test func `repeats a request that was cut after Apple processed it, with the same id and bytes`() async throws {
        try await withFleet { world in
            try await world.add(FleetWorld.job("case-1", transaction: "2000-cut-after"))
            let end = await world.worker([try world.app()]).run()
            #expect(end == .idle)
            let record = try #require(try await world.queue.show("case-1"))
            #expect(record.state == .accepted)
            #expect(record.attempts.map(\.result) == ["unclear", "accepted"])
            #expect(Set(record.attempts.map(\.referenceId)).count == 1)
        }
    }
}
