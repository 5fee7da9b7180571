import EventLoop
import Foundation
import Testing

private actor Counter {
    let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private(set) var count = 0
    private var timers: [LoopTimer] = []
    private var watches: [DescriptorWatch] = []
    private var signals: [SignalWatch] = []

    init(_ loop: EventLoop) { self.loop = loop }

    func bump() -> Bool {
        count += 1
        return loop.isCurrent
    }

    func firings(of delays: [Duration]) -> AsyncStream<Int> {
        AsyncStream { continuation in
            timers = delays.enumerated().map { index, delay in loop.after(delay) { continuation.yield(index) } }
        }
    }

    func cancelTimer(_ index: Int) { timers[index].cancel() }

    func bytes(from descriptor: Int32) -> AsyncStream<UInt8> {
        AsyncStream { continuation in
            let watch = loop.watch(descriptor, for: .readable) { _ in
                var byte: UInt8 = 0
                if read(descriptor, &byte, 1) == 1 { continuation.yield(byte) }
            }
            if let watch { watches.append(watch) } else { continuation.finish() }
        }
    }

    func arrivals(of signal: Int32) -> AsyncStream<Void> {
        AsyncStream { continuation in signals.append(loop.onSignal(signal) { continuation.yield() }) }
    }
}

// @unchecked: the test hands the timer from the loop to another thread on purpose.
private final class TimerOwner: @unchecked Sendable {
    private var timer: LoopTimer?
    init(_ timer: LoopTimer) { self.timer = timer }
    func release() { timer = nil }
}

@Suite struct `The event loop` {
    let loop = EventLoop()

    @Test func `is the thread of each actor that names it as executor`() async {
        let counter = Counter(loop)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<1000 { group.addTask { await counter.bump() } }
            for await isOnLoop in group { #expect(isOnLoop) }
        }
        #expect(await counter.count == 1000)
        #expect(!loop.isCurrent)
        loop.stop()
    }

    @Test func `fires timers in the order of their delays and never a cancelled one`() async {
        let counter = Counter(loop)
        let firings = await counter.firings(of: [.milliseconds(30), .milliseconds(1), .milliseconds(10)])
        await counter.cancelTimer(2)
        var seen: [Int] = []
        for await index in firings {
            seen.append(index)
            if seen.count == 2 { break }
        }
        #expect(seen == [1, 0])
        loop.stop()
    }

    @Test func `outlives owners of timers that are released on other threads just as they fire`() async {
        let domain = LoopDomain(loop)
        for _ in 0..<2000 {
            // The owner is made on the loop and released here, while its timer is due.
            let timer = await domain.run { domain in TimerOwner(domain.loop.every(.milliseconds(1)) {}) }
            timer.release()
        }
        loop.stop()
    }

    @Test func `tells when a descriptor can be read`() async {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let counter = Counter(loop)
        var bytes = await counter.bytes(from: ends[0]).makeAsyncIterator()
        var byte: UInt8 = 42
        #expect(write(ends[1], &byte, 1) == 1)
        #expect(await bytes.next() == 42)
        loop.stop()
        close(ends[0])
        close(ends[1])
    }

    @Test func `delivers a signal instead of its default action`() async {
        let counter = Counter(loop)
        var arrivals = await counter.arrivals(of: SIGWINCH).makeAsyncIterator()
        kill(getpid(), SIGWINCH)
        #expect(await arrivals.next() != nil)
        loop.stop()
    }

    @Test func `wakes a sleeper early when its task is cancelled`() async {
        let domain = LoopDomain(loop)
        let sleeper = Task { try await domain.sleep(for: .seconds(3600)) }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        loop.stop()
    }

    @Test(arguments: [
        (Duration.milliseconds(1), UInt64(1)), (.microseconds(1), 1), (.microseconds(1500), 2), (.zero, 0),
        (.seconds(-3), 0),
        (.seconds(2), 2000),
    ])
    func `rounds delays up to whole milliseconds`(delay: Duration, milliseconds: UInt64) {
        #expect(delay.wholeMillisecondsRoundedUp == milliseconds)
    }
}
