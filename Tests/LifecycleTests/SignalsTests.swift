import EventLoop
import Foundation
import Lifecycle
import TestSupport
import Testing

@Suite struct SignalsTests {
    // SIGUSR1 and SIGUSR2 are nobody else's in this process.
    @Test func `signals arrive as elements`() async throws {
        let signals = await Signals.stream(of: [SIGUSR1, SIGUSR2], on: TestLoop.shared)
        kill(getpid(), SIGUSR2)
        kill(getpid(), SIGUSR2)
        var iterator = signals.makeAsyncIterator()
        #expect(await iterator.next() == SIGUSR2)
        kill(getpid(), SIGUSR1)
        var next = await iterator.next()
        // Two equal signals may arrive as one.
        if next == SIGUSR2 { next = await iterator.next() }
        #expect(next == SIGUSR1)
    }
}
