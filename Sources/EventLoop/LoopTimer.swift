import CUv

/// A one-shot or repeating timer on the loop. Cancelled when it is released.
///
/// Make and cancel it on the loop's thread; its body runs there too.
package final class LoopTimer {
    private let loop: EventLoop
    private let handle: UnsafeMutablePointer<uv_timer_t>
    private var isOpen = true

    fileprivate init(_ loop: EventLoop, after delay: Duration, every period: Duration?, _ body: @escaping () -> Void) {
        loop.checkIsolated()
        self.loop = loop
        handle = .allocate(capacity: 1)
        uv_timer_init(loop.raw, handle)
        handle.pointee.data = LoopCallback<Void>(body).retained()
        // libuv counts from the time it cached when this turn of the loop began; a long turn would shorten the delay.
        uv_update_time(loop.raw)
        uv_timer_start(
            handle,
            { LoopCallback<Void>.call($0?.pointee.data, ()) }, delay.wholeMillisecondsRoundedUp,
            period?.wholeMillisecondsRoundedUp ?? 0)
    }

    /// Stops the timer for good; a second call does nothing.
    package func cancel() {
        guard isOpen else { return }
        isOpen = false
        loop.close(kulanz_uv_handle(handle))
    }

    deinit { cancel() }
}

extension EventLoop {
    /// Runs `body` once after `delay`, rounded up to a whole millisecond. Keep the result: releasing it cancels.
    package func after(_ delay: Duration, _ body: @escaping () -> Void) -> LoopTimer {
        LoopTimer(self, after: delay, every: nil, body)
    }

    /// Runs `body` every `period` until the result is cancelled or released.
    package func every(_ period: Duration, _ body: @escaping () -> Void) -> LoopTimer {
        LoopTimer(self, after: period, every: period, body)
    }
}

extension Duration {
    /// Milliseconds as libuv and libcurl take them; never early, never negative.
    package var wholeMillisecondsRoundedUp: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let perMillisecond: Int64 = 1_000_000_000_000_000
        return UInt64(seconds) * 1000 + UInt64((attoseconds + perMillisecond - 1) / perMillisecond)
    }
}
