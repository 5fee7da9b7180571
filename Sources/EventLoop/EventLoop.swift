import CUv
import Foundation
import Synchronization

/// One thread that runs libuv's loop and is the executor of every actor that owns a C handle.
///
/// An actor whose `unownedExecutor` is an event loop *is* that loop's thread: C callbacks enter it with
/// `assumeIsolated`, its methods may touch timers and descriptors without a lock, and a call between two such
/// actors doesn't change threads. Who waits there for something to come waits on a `LoopPromise`.
/// A process has one; whoever wants more cores starts more processes.
///
/// A loop lives as long as its process unless `stop()` ends it; jobs that arrive after that are never run.
// @unchecked: the C pointers are touched on the loop's thread only; what other threads touch is in `inbox`.
package final class EventLoop: SerialExecutor, @unchecked Sendable {
    let raw: UnsafeMutablePointer<uv_loop_t>
    private let wake: UnsafeMutablePointer<uv_async_t>
    private let beforePolling: UnsafeMutablePointer<uv_prepare_t>
    private let afterPolling: UnsafeMutablePointer<uv_check_t>
    private let inbox = Mutex(Inbox())
    private let thread = Atomic<UInt>(0)
    private let ended = DispatchSemaphore(value: 0)

    private struct Entry {
        let job: UnownedJob
        let executor: UnownedSerialExecutor
    }

    private struct Inbox {
        var jobs: [Entry] = []
        var closing: [ClosingHandle] = []
        var isStopping = false
        var hasEnded = false
    }

    /// Starts the thread; the loop takes jobs from here on.
    package init(name: String = "kulanz.loop") {
        raw = .allocate(capacity: 1)
        wake = .allocate(capacity: 1)
        beforePolling = .allocate(capacity: 1)
        afterPolling = .allocate(capacity: 1)
        precondition(uv_loop_init(raw) == 0, "libuv could not make a loop: out of descriptors or memory")
        // It only ends the wait; what woke it is done after the wait, with what descriptors have left.
        precondition(uv_async_init(raw, wake) { _ in } == 0)
        uv_prepare_init(raw, beforePolling)
        uv_prepare_start(beforePolling) { EventLoop.owning($0?.pointee.loop)?.drain() }
        uv_check_init(raw, afterPolling)
        uv_check_start(afterPolling) { EventLoop.owning($0?.pointee.loop)?.drain() }
        // Unretained: the thread below holds the loop until its last callback has run.
        raw.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        let runner = Thread { [self] in run() }
        runner.name = name
        runner.stackSize = 8 << 20
        runner.start()
    }

    private static func owning(_ loop: UnsafeMutablePointer<uv_loop_t>?) -> EventLoop? {
        guard let data = loop?.pointee.data else { return nil }
        return Unmanaged<EventLoop>.fromOpaque(data).takeUnretainedValue()
    }

    private func run() {
        thread.store(Self.currentThread, ordering: .releasing)
        uv_run(raw, UV_RUN_DEFAULT)
        // Before `wake` is closed below: who sends to a closed handle is aborted by libuv.
        inbox.withLock { $0.hasEnded = true }
        // What is still open after `stop()` is closed here, so that the loop itself can be closed.
        uv_walk(raw, { handle, _ in if uv_is_closing(handle) == 0 { uv_close(handle, nil) } }, nil)
        uv_run(raw, UV_RUN_DEFAULT)
        uv_loop_close(raw)
        wake.deallocate()
        beforePolling.deallocate()
        afterPolling.deallocate()
        raw.deallocate()
        ended.signal()
    }

    /// Ends the thread and waits for its end. Never call it from the loop itself.
    package func stop() {
        precondition(!isCurrent, "the loop can't wait for its own end")
        let isFirst = inbox.withLock { inbox in
            defer { inbox.isStopping = true }
            return !inbox.isStopping
        }
        guard isFirst else { return }
        uv_async_send(wake)
        ended.wait()
    }

    // MARK: SerialExecutor

    package func enqueue(_ job: consuming ExecutorJob) { take(UnownedJob(job), for: asUnownedSerialExecutor()) }

    /// Takes a job to run on this thread in the name of an executor, this one or one that keeps jobs for a while.
    func take(_ job: UnownedJob, for executor: UnownedSerialExecutor) {
        // The loop itself looks before it waits again and needs no system call to be told.
        let isForeign = !isCurrent
        // The send stays under the lock: `run` closes the handle only after it has set `hasEnded` under it.
        inbox.withLock { inbox in
            inbox.jobs.append(Entry(job: job, executor: executor))
            if isForeign, inbox.jobs.count == 1, !inbox.hasEnded { uv_async_send(wake) }
        }
    }

    /// Closes a handle that its owner gives up and frees its memory. The owner's `deinit` may run on any thread.
    func close(_ handle: UnsafeMutablePointer<uv_handle_t>) {
        guard !isCurrent else { return closeHere(handle) }
        inbox.withLock { inbox in
            guard !inbox.hasEnded else { return }  // the loop has closed it; its few bytes go with the process
            inbox.closing.append(ClosingHandle(pointer: handle))
            uv_async_send(wake)
        }
    }

    private func closeHere(_ handle: UnsafeMutablePointer<uv_handle_t>) {
        guard uv_is_closing(handle) == 0 else { return }
        uv_close(handle) { handle in
            if let callback = handle?.pointee.data { Unmanaged<AnyObject>.fromOpaque(callback).release() }
            handle?.deallocate()
        }
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    package func checkIsolated() {
        precondition(isCurrent, "this may run on the event loop's thread only")
    }

    /// Whether the calling thread is the loop's.
    package var isCurrent: Bool { thread.load(ordering: .acquiring) == Self.currentThread }

    private static var currentThread: UInt {
        #if os(Linux)
            UInt(pthread_self())
        #else
            UInt(bitPattern: pthread_self())
        #endif
    }

    private func drain() {
        // Rounds are bounded so that actors which wake each other can't keep descriptors and timers waiting.
        for _ in 0..<32 {
            let (jobs, closing, isStopping) = inbox.withLock { inbox in
                defer { (inbox.jobs, inbox.closing) = ([], []) }
                return (inbox.jobs, inbox.closing, inbox.isStopping)
            }
            for handle in closing { closeHere(handle.pointer) }
            for entry in jobs { entry.job.runSynchronously(on: entry.executor) }
            if isStopping { return uv_stop(raw) }
            if jobs.isEmpty { return }
        }
        uv_async_send(wake)
    }
}

// @unchecked: a pointer on its way to the loop's thread, which alone uses it.
private struct ClosingHandle: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<uv_handle_t>
}
