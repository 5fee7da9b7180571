import Synchronization

/// What happened, in order, for a test to await instead of a time.
package final class EventRecorder<Event: Sendable>: Sendable {
    private struct Waiter {
        let isMet: @Sendable ([Event]) -> Bool
        let continuation: CheckedContinuation<[Event]?, Never>
    }

    private struct State {
        var events: [Event] = []
        var waiters: [Int: Waiter] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    package init() {}

    package var events: [Event] { state.withLock { $0.events } }

    package func record(_ event: Event) {
        let (met, events) = state.withLock { state in
            state.events.append(event)
            let met = state.waiters.filter { $0.value.isMet(state.events) }
            for id in met.keys { state.waiters[id] = nil }
            return (met.values.map(\.continuation), state.events)
        }
        for continuation in met { continuation.resume(returning: events) }
    }

    /// Everything recorded so far, as soon as `isMet` accepts it. Throws when that takes longer than `limit`, which is
    /// there so that a broken test ends, not to measure anything.
    @discardableResult
    package func events(
        within limit: Duration = .seconds(60), until isMet: @escaping @Sendable ([Event]) -> Bool
    ) async throws -> [Event] {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        let timer = Task {
            try await Task.sleep(for: limit)
            self.state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume(returning: nil)
        }
        defer { timer.cancel() }
        let result: [Event]? = await withCheckedContinuation { continuation in
            let events: [Event]? = state.withLock { state in
                guard !isMet(state.events) else { return state.events }
                state.waiters[id] = Waiter(isMet: isMet, continuation: continuation)
                return nil
            }
            if let events { continuation.resume(returning: events) }
        }
        guard let result else { throw EventNeverCame(recorded: events.map { "\($0)" }) }
        return result
    }

    /// The first `count` events.
    @discardableResult
    package func first(_ count: Int, within limit: Duration = .seconds(60)) async throws -> [Event] {
        Array(try await events(within: limit) { $0.count >= count }.prefix(count))
    }
}

extension EventRecorder where Event: Equatable {
    /// Waits until `event` has happened.
    package func contains(_ event: Event, within limit: Duration = .seconds(60)) async throws {
        try await events(within: limit) { $0.contains(event) }
    }
}

package struct EventNeverCame: Error, CustomStringConvertible {
    let recorded: [String]
    package var description: String { "the awaited event never came; recorded: \(recorded)" }
}

extension EventRecorder {
    /// Records the elements of a sequence until it ends or the result is cancelled.
    package func follow(_ sequence: some AsyncSequence<Event, Never> & Sendable) -> Task<Void, Never> {
        Task { for await event in sequence { record(event) } }
    }
}
