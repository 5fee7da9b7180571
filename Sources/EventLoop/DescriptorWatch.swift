import CUv

/// Watches one descriptor for readiness. Level-triggered. The descriptor stays the caller's: cancel before closing it.
///
/// Make, change and cancel it on the loop's thread; its body runs there too.
package final class DescriptorWatch {
    /// What the descriptor is ready for, or is wanted for.
    package struct Readiness: OptionSet, Sendable {
        package let rawValue: Int32
        package init(rawValue: Int32) { self.rawValue = rawValue }

        package static let readable = Readiness(rawValue: Int32(UV_READABLE.rawValue))
        package static let writable = Readiness(rawValue: Int32(UV_WRITABLE.rawValue))
        package static let hungUp = Readiness(rawValue: Int32(UV_DISCONNECT.rawValue))
        /// The descriptor failed; reading or writing it tells how. Reported only, never asked for.
        package static let failed = Readiness(rawValue: 1 << 30)
    }

    private let loop: EventLoop
    private let handle: UnsafeMutablePointer<uv_poll_t>
    private var isOpen = true
    private var interest: Readiness = []

    fileprivate init?(
        _ loop: EventLoop, _ descriptor: Int32, _ interest: Readiness, _ body: @escaping (Readiness) -> Void
    ) {
        loop.checkIsolated()
        self.loop = loop
        handle = .allocate(capacity: 1)
        guard uv_poll_init(loop.raw, handle, descriptor) == 0 else {
            handle.deallocate()
            isOpen = false
            return nil
        }
        let callback = LoopCallback<Readiness> { [weak self] readiness in
            // libuv stops a watch that failed.
            if readiness == .failed { self?.interest = [] }
            body(readiness)
        }
        handle.pointee.data = callback.retained()
        update(interest)
    }

    /// Changes what is watched for; an empty set pauses the watch.
    package func update(_ interest: Readiness) {
        // Being told the same again would cost two system calls.
        guard isOpen, interest != self.interest else { return }
        self.interest = interest
        guard !interest.isEmpty else {
            uv_poll_stop(handle)
            return
        }
        uv_poll_start(handle, interest.rawValue) { handle, status, events in
            LoopCallback<Readiness>.call(
                handle?.pointee.data, status < 0 ? .failed : Readiness(rawValue: events))
        }
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
    /// Calls `body` whenever `descriptor` is ready for `interest`. Nil when the kernel can't poll the descriptor
    /// (a regular file, or one that is closed).
    package func watch(
        _ descriptor: Int32, for interest: DescriptorWatch.Readiness,
        _ body: @escaping (DescriptorWatch.Readiness) -> Void
    ) -> DescriptorWatch? {
        DescriptorWatch(self, descriptor, interest, body)
    }
}
