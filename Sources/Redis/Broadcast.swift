import Synchronization

/// The latest value and its changes, for any number of listeners on any thread.
final class Broadcast<Element: Sendable>: Sendable {
    private struct State {
        var latest: Element?
        var listeners: [Int: AsyncStream<Element>.Continuation] = [:]
        var next = 0
        var hasEnded = false
    }

    private let state = Mutex(State())

    func send(_ element: Element) {
        state.withLock { state in
            state.latest = element
            for listener in state.listeners.values { listener.yield(element) }
        }
    }

    func finish() {
        let listeners = state.withLock { state in
            defer { state.listeners = [:] }
            state.hasEnded = true
            return state.listeners
        }
        for listener in listeners.values { listener.finish() }
    }

    /// Starts with the latest value, if there is one. A slow listener misses all but the newest 64 changes.
    func stream() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream<Element>.makeStream(bufferingPolicy: .bufferingNewest(64))
        let id: Int? = state.withLock { state in
            if let latest = state.latest { continuation.yield(latest) }
            guard !state.hasEnded else { return nil }
            state.next += 1
            state.listeners[state.next] = continuation
            return state.next
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: id) }
        }
        return stream
    }
}
