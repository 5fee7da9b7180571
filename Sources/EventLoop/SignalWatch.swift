import CUv

/// Watches one UNIX signal. While any watch of a signal is alive its default action (such as ending the process) is off.
///
/// Make and cancel it on the loop's thread; its body runs there too.
package final class SignalWatch {
    private let loop: EventLoop
    private let handle: UnsafeMutablePointer<uv_signal_t>
    private var isOpen = true

    fileprivate init(_ loop: EventLoop, _ number: Int32, _ body: @escaping () -> Void) {
        loop.checkIsolated()
        self.loop = loop
        handle = .allocate(capacity: 1)
        uv_signal_init(loop.raw, handle)
        handle.pointee.data = LoopCallback<Void>(body).retained()
        uv_signal_start(
            handle,
            { handle, _ in LoopCallback<Void>.call(handle?.pointee.data, ()) }, number)
    }

    /// Stops watching for good; a second call does nothing.
    package func cancel() {
        guard isOpen else { return }
        isOpen = false
        loop.close(kulanz_uv_handle(handle))
    }

    deinit { cancel() }
}

extension EventLoop {
    /// Calls `body` on the loop each time the process receives the signal `number`.
    package func onSignal(_ number: Int32, _ body: @escaping () -> Void) -> SignalWatch {
        SignalWatch(self, number, body)
    }
}
