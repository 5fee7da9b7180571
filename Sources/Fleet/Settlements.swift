import EventLoop
import Queue

/// Gathers the 200s that come to one app in one turn of the loop, so that one call records them.
///
/// None waits for another: what has come by the time that the loop gets to the call goes with it.
actor Settlements {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let queue: JobQueue
    private var gathered: [Success] = []
    private var call: Task<[Result<Settlement, QueueError>], Never>?

    /// A script keeps Redis from all else while it runs.
    private static let atOnce = 16

    init(queue: JobQueue, loop: EventLoop) {
        self.queue = queue
        self.loop = loop
    }

    /// Records one, together with the others of this turn.
    func settle(_ success: Success) async throws(QueueError) -> Settlement {
        let place = gathered.count
        gathered.append(success)
        let call = call ?? Task { await self.record() }
        self.call = call
        return try await call.value[place].get()
    }

    private func record() async -> [Result<Settlement, QueueError>] {
        call = nil
        let successes = gathered
        gathered = []
        var results: [Result<Settlement, QueueError>] = []
        for start in stride(from: 0, to: successes.count, by: Self.atOnce) {
            let some = Array(successes[start..<min(start + Self.atOnce, successes.count)])
            do throws(QueueError) {
                results += try await queue.settle(some)
            } catch {
                results += some.map { _ in .failure(error) }
            }
        }
        return results
    }
}
