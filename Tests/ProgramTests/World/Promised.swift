import Foundation
import Synchronization

/// A value that comes later; a hook on a thread of its own may wait for it.
final class Promised<Value: Sendable>: Sendable {
    private let state = Mutex<Value?>(nil)
    private let isKept = DispatchSemaphore(value: 0)

    func keep(_ value: Value) {
        state.withLock { $0 = value }
        isKept.signal()
    }

    /// Blocks until there is one.
    var value: Value {
        isKept.wait()
        defer { isKept.signal() }
        return state.withLock { value in
            guard let value else { preconditionFailure("it was kept") }
            return value
        }
    }
}
