/// The loop's own thread as an isolation domain for code that is no actor of its own.
package actor LoopDomain {
    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private var sleepers: [Int: Sleeper] = [:]
    private var next = 0

    private struct Sleeper {
        let timer: LoopTimer
        let continuation: CheckedContinuation<Void, any Error>
    }

    package init(_ loop: EventLoop) { self.loop = loop }

    /// Runs `body` on the loop's thread.
    package func run<Result: Sendable>(_ body: @Sendable (isolated LoopDomain) throws -> Result) rethrows -> Result {
        try body(self)
    }

    /// Waits on the loop's timer; throws `CancellationError` as soon as the task is cancelled.
    package func sleep(for delay: Duration) async throws {
        next += 1
        let id = next
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
                let timer = loop.after(delay) { [weak self] in
                    self?.assumeIsolated { $0.sleepers.removeValue(forKey: id)?.continuation.resume() }
                }
                sleepers[id] = Sleeper(timer: timer, continuation: continuation)
            }
        } onCancel: {
            Task { await self.cancel(id) }
        }
    }

    private func cancel(_ id: Int) {
        sleepers.removeValue(forKey: id)?.continuation.resume(throwing: CancellationError())
    }
}
