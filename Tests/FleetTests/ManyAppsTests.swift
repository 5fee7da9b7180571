import AppStore
import AppStoreSimulator
import Foundation
import HTTP
import Queue
import Refunds
import TestSupport
import Testing

@testable import Fleet

@Suite struct `A thousand apps on one worker` {
    /// Resident memory of this process in MB, where the system tells it in a file.
    private var memory: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
            let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        return pages * 4096 / 1_000_000
    }

    @Test(.timeLimit(.minutes(5))) func `with a job each are all served`() async throws {
        try await withFleet { world in
            let names = (1...1000).map { "app\($0)" }
            for name in names { try await world.add(FleetWorld.job("case-1", app: name), app: name) }
            let http = HTTPClient(loop: world.loop, options: .appStore(version: "test"))
            let before = memory
            let apps = try names.map { try world.app($0, bundle: "com.example.\($0)", through: http) }
            let worker = world.worker(apps) { $0.untilIdle = false }
            let begun = ContinuousClock.now
            try await world.working([worker]) {
                try await eventually("all are sent", within: .seconds(200)) {
                    await world.simulator.entries.count { $0.isProcessed } >= names.count
                }
            }
            print(
                "1,000 apps with a job each: \(ContinuousClock.now - begun), "
                    + "\(before ?? 0) MB before, \(memory ?? 0) MB after, \(world.logged("late")) late")
            var states: [JobState: Int] = [:]
            for name in names {
                states[try #require(try await world.queue(name).show("case-1")).state, default: 0] += 1
            }
            #expect(states == [.accepted: 1000])
            let arrivals = Dictionary(grouping: await world.simulator.entries, by: { $0.bundleId ?? "" })
            #expect(arrivals.count == 1000)
            #expect(arrivals.values.allSatisfy { $0.count == 1 })
        }
    }
}
