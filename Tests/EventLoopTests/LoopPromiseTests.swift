import EventLoop
import Foundation
import Testing

/// Waits, keeps and takes down what happened, all on the loop's thread.
private actor Desk {
    let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private(set) var events: [String] = []
    private var timer: LoopTimer?

    init(_ loop: EventLoop) { self.loop = loop }

    func wait(for promise: LoopPromise<Int>) async -> (value: Int, isOnLoop: Bool) {
        events.append("waits")
        let value = await promise.value
        events.append("went on")
        return (value, loop.isCurrent)
    }

    /// Until the loop has looked at its timers once more.
    func keep(_ promise: LoopPromise<Int>, _ value: Int) async {
        let isOver = LoopPromise<Void>(on: loop)
        promise.keep(value)
        timer = loop.after(.zero) { [weak self] in
            self?.assumeIsolated { $0.events.append("the loop's next turn") }
            isOver.keep(())
        }
        await isOver.value
    }
}

@Suite struct `A promise on the loop` {
    let loop = EventLoop()

    @Test func `lets whoever waits go on in the same turn of the loop`() async {
        let desk = Desk(loop)
        let promise = LoopPromise<Int>(on: loop)
        let waiter = Task { await desk.wait(for: promise) }
        while await desk.events.isEmpty { await Task.yield() }
        await desk.keep(promise, 7)
        #expect(await waiter.value == (7, true))
        #expect(await desk.events == ["waits", "went on", "the loop's next turn"])
        loop.stop()
    }

    @Test func `that was kept before makes nobody wait`() async {
        let promise = LoopPromise<Int>(on: loop)
        promise.keep(8)
        #expect(await Desk(loop).wait(for: promise) == (8, true))
        loop.stop()
    }

    @Test func `may be kept on any thread, each for its own`() async {
        let desk = Desk(loop)
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<1000 {
                let promise = LoopPromise<Int>(on: loop)
                group.addTask { await desk.wait(for: promise) == (number, true) }
                group.addTask {
                    promise.keep(number)
                    return true
                }
            }
            for await isRight in group { #expect(isRight) }
        }
        loop.stop()
    }
}
