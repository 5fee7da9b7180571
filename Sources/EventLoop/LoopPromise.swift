import Synchronization

/// A value that is still to come: one task waits for it, and goes on on the loop's thread.
///
/// A continuation would take two more threads: whoever waited on one is resumed by Swift's own pool, which then hands
/// the task to its actor's thread. This one is an executor of its own, and to wait is to be a job that it keeps. See
/// docs/decisions/0035-waiting-on-the-loop.md.
package actor LoopPromise<Value: Sendable>: SerialExecutor {
    private enum State {
        case open
        case awaited(UnownedJob)
        case kept(Value)
    }

    private nonisolated let loop: EventLoop
    private nonisolated let state = Mutex(State.open)

    package nonisolated var unownedExecutor: UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    package init(on loop: EventLoop) { self.loop = loop }

    /// Waits until the promise is kept. Only one task may wait, and like one on a continuation it waits for ever for a
    /// promise that nobody keeps.
    package var value: Value {
        state.withLock { state in
            guard case .kept(let value) = state else { preconditionFailure("a promise went on before it was kept") }
            return value
        }
    }

    /// Gives the value; callable once, from any thread.
    package nonisolated func keep(_ value: Value) {
        let job: UnownedJob? = state.withLock { state in
            defer { state = .kept(value) }
            switch state {
            case .open: return nil
            case .awaited(let job): return job
            case .kept: preconditionFailure("a promise was kept twice")
            }
        }
        if let job { loop.take(job, for: unownedExecutor) }
    }

    package nonisolated func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isKept = state.withLock { state in
            switch state {
            case .open:
                state = .awaited(job)
                return false
            case .awaited: preconditionFailure("two tasks wait for one promise")
            case .kept: return true
            }
        }
        if isKept { loop.take(job, for: unownedExecutor) }
    }
}
