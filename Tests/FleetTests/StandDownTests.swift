import AppStoreSimulator
import Foundation
import Queue
import Refunds
import TestSupport
import Testing

@testable import Fleet

/// A port that refuses connections: taken, so that nobody else gets it, but not listened on.
private final class RefusedPort: Sendable {
    let number: UInt16
    private let descriptor: Int32

    init() {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in.loopback()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (descriptor, length) = (descriptor, size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        precondition(isBound)
        number = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }
}

@Suite struct `A worker whose host can't reach Apple` {
    @Test func `leaves the app to the other worker after a few failures, and no job pays for it`() async throws {
        try await withFleet { world in
            let refused = RefusedPort()
            let cut = world.worker([try world.app(at: refused.number)]) {
                $0.name = "cut-off"
                $0.untilIdle = false
            }
            let well = world.worker([try world.app()]) {
                $0.name = "well"
                $0.untilIdle = false
            }
            try await world.working([cut, well]) {
                try await world.beat(2, by: 2)
                for number in 1...25 { try await world.add(FleetWorld.job("case-\(number)")) }
                try await eventually("all are accepted") {
                    for number in 1...25 where try await world.queue.show("case-\(number)")?.state != .accepted {
                        return false
                    }
                    return true
                }
                withExtendedLifetime(refused) {}
            }
            #expect(world.logged("standing down") == 1)
            var unsent = 0
            for number in 1...25 {
                let record = try #require(try await world.queue.show("case-\(number)"))
                unsent += record.attempts.count { $0.result == "unsent" }
                #expect(record.attempts.last?.result == "accepted")
                #expect(Set(record.attempts.map(\.referenceId)).count == 1)
                #expect(!record.isOpen)
                #expect(try await world.attempts("case-\(number)") == 1)
            }
            // Five in a row, and windows of five that were under way beside them: one, or on a busy machine a few.
            #expect((5...20).contains(unsent))
            #expect(await world.simulator.entries.count == 25)
        }
    }

    @Test func `goes on trying when it is the only one`() async throws {
        try await withFleet { world in
            let refused = RefusedPort()
            let cut = world.worker([try world.app(at: refused.number)]) { $0.untilIdle = false }
            try await world.working([cut]) {
                try await world.add(FleetWorld.job("case-1"))
                try await eventually("it tried more often than another would have to see") {
                    try await world.queue.show("case-1")?.attempts.count ?? 0 > 8
                }
                withExtendedLifetime(refused) {}
            }
            #expect(world.logged("standing down") == 0)
            #expect(try await world.attempts("case-1") == 0)
            #expect(try await world.queue.show("case-1")?.isOpen == false)
        }
    }
}
