package import EventLoop
import Foundation

/// Standard input as a leash: its end says that whoever holds the other end is gone. See `ChildProcess.Input.leash`.
package enum InputEnd {
    /// Returns when standard input has ended, or when the task is cancelled. What comes in before is read and forgotten;
    /// an input that can't end later (a file, /dev/null) has ended.
    package static func wait(on loop: EventLoop) async {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let watcher = Watcher(loop)
        await watcher.watch(continuation)
        for await _ in stream {}
        await watcher.end()
    }

    private actor Watcher {
        private let loop: EventLoop
        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
        private var watch: DescriptorWatch?

        init(_ loop: EventLoop) { self.loop = loop }

        func watch(_ ended: AsyncStream<Void>.Continuation) {
            watch = loop.watch(STDIN_FILENO, for: .readable) { _ in
                var chunk = [UInt8](repeating: 0, count: 4096)
                let count = read(STDIN_FILENO, &chunk, chunk.count)
                if count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR) { ended.finish() }
            }
            if watch == nil { ended.finish() }
        }

        func end() {
            watch?.cancel()
            watch = nil
        }
    }
}
