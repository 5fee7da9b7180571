package import EventLoop

/// The signals of this process as a stream.
package enum Signals {
    /// Yields the number of each signal that arrives. From when this returns until the stream is dropped the signals'
    /// default action, such as ending the process, is off.
    package static func stream(of numbers: [Int32], on loop: EventLoop) async -> AsyncStream<Int32> {
        let (stream, continuation) = AsyncStream<Int32>.makeStream()
        let watcher = Watcher(loop)
        await watcher.watch(numbers, continuation)
        continuation.onTermination = { _ in Task { await watcher.end() } }
        return stream
    }

    private actor Watcher {
        private let loop: EventLoop
        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
        private var watches: [SignalWatch] = []

        init(_ loop: EventLoop) { self.loop = loop }

        func watch(_ numbers: [Int32], _ continuation: AsyncStream<Int32>.Continuation) {
            watches = numbers.map { number in loop.onSignal(number) { continuation.yield(number) } }
        }

        func end() { watches = [] }
    }
}
