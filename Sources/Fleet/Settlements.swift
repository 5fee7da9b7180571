import EventLoop
import Queue

/// Gathers the 200s that come to one app in one turn of the loop, so that one call records them.
///
/// None waits for another: what has come by the time that the loop gets to the call goes with it.
actor Settlements {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let queue: JobQueue
    private var gathered: [Gathered] = []

    private struct Gathered {
        let success: Success
        let recorded: LoopPromise<Result<Settlement, QueueError>>
    }

    /// A script keeps Redis from all else while it runs.
    private static let atOnce = 16

    init(queue: JobQueue, loop: EventLoop) {
        self.queue = queue
        self.loop = loop
    }

    /// Records one, together with the others of this turn.
    func settle(_ success: Success) async throws(QueueError) -> Settlement {
        let recorded = LoopPromise<Result<Settlement, QueueError>>(on: loop)
        gathered.append(Gathered(success: success, recorded: recorded))
        if gathered.count == 1 { Task { await self.record() } }
        return try await recorded.value.get()
    }

    private func record() async {
        let all = gathered
        gathered = []
        for start in stride(from: 0, to: all.count, by: Self.atOnce) {
            let some = all[start..<min(start + Self.atOnce, all.count)]
            do throws(QueueError) {
                let results = try await queue.settle(some.map(\.success))
                for (one, result) in zip(some, results) { one.recorded.keep(result) }
            } catch {
                for one in some { one.recorded.keep(.failure(error)) }
            }
        }
    }
}
