import EventLoop
import TestSupport

/// Something that should have happened and did not.
struct NeverHappened: Error, CustomStringConvertible {
    let what: String
    let patience: Duration
    var description: String { "within \(patience) it did not happen that \(what)" }
}

/// Waits until something can be seen. What other processes do rings no bell here, so it is looked at again and again;
/// `patience` is for a machine that is busy, it measures nothing.
func eventually(
    _ what: String, within patience: Duration = .seconds(40), _ isSeen: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + patience
    while try await !isSeen() {
        guard ContinuousClock.now < deadline else { throw NeverHappened(what: what, patience: patience) }
        await pause(.milliseconds(15))
    }
}

/// Lets time pass: for stalls of a given length and for moments picked at random.
func pause(_ time: Duration) async { try? await LoopDomain(TestLoop.shared).sleep(for: time) }
