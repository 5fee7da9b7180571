import Synchronization

/// What lets one request leave, looked at immediately before its first byte is written.
///
/// It ages on the clock that runs on while the machine sleeps or the process is stopped: a worker that stalls sends
/// late, but never too much.
final class Permit: Sendable {
    private let expiry: ContinuousClock.Instant
    private let isRevoked = Atomic(false)

    /// - Parameter begun: when the `lease` call that gave it began: Redis counted the departure after that.
    init(begun: ContinuousClock.Instant, age: Duration) { expiry = begun + age }

    /// Called when the lease is lost.
    func revoke() { isRevoked.store(true, ordering: .releasing) }

    var isValid: Bool { ContinuousClock.now < expiry && !isRevoked.load(ordering: .acquiring) }
}
