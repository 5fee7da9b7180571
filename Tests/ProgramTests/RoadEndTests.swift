import AppStoreSimulator
import Foundation
import Lifecycle
import Queue
import Redis
import Refunds
import TestSupport
import Testing

@Suite struct `A worker with nothing left to do` {
    /// One in forty used to crash on its way out, while the destructors of libraries ran beside its loop.
    @Test func `ends in order, every time`() async throws {
        try await withProgram { world in
            for _ in 1...20 {
                var crew: [ChildProcess] = []
                for _ in 1...3 { crew.append(try await world.worker(["--until-idle"])) }
                for worker in crew { #expect(await worker.exit == .code(0)) }
            }
        }
    }
}
