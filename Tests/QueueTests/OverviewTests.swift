import Queue
import Redis
import Refunds
import Testing

@Suite struct OverviewTests {
    @Test func `each job is counted where it is`() async throws {
        try await withQueue { world in
            let held = try await world.sending("held")
            _ = try await world.queue.hold(
                held, as: .held, ending: .answered, lookingAgainAfter: .seconds(9), question: "q", .rejected)
            let later = try await world.sending("later")
            _ = try await world.queue.postpone(later, for: .seconds(9), ending: .answered, next: nil, .rejected)
            let dead = try await world.sending("dead")
            _ = try await world.queue.bury(dead, ending: .answered, reason: "r", hint: "", .rejected)
            let ready = try await world.sending("ready", priority: .urgent)
            _ = try await world.sending("sending", transaction: "T", skus: ["a"])
            try await world.enqueue("follower", transaction: "T", skus: ["b"])
            #expect(try await world.lease(slots: 1).jobs.isEmpty)
            _ = try await world.queue.release(ready, why: "late")
            try await world.enqueue("bulk", priority: .bulk)
            let view = try await world.queue.overview()
            #expect(view.lanes == [.urgent: 1, .normal: 0, .bulk: 1])
            #expect(view.inFlight == 1 && view.later == 1 && view.followers == 1 && view.held == 1 && view.dead == 1)
            #expect(view.oldestAgeMilliseconds != nil && view.paused == nil && view.blockedUntil == nil)
            #expect(!view.isIdle)
        }
    }

    @Test func `an app with nothing but held jobs and letters is idle`() async throws {
        try await withQueue { world in
            #expect(try await world.queue.overview().isIdle)
            let held = try await world.sending("held")
            _ = try await world.queue.hold(
                held, as: .held, ending: .answered, lookingAgainAfter: .seconds(9), question: "q", .rejected)
            #expect(try await world.queue.overview().isIdle)
            #expect(try await world.queue.overview().oldestAgeMilliseconds == nil)
        }
    }

    @Test func `a job on its way between places never makes the app look idle`() async throws {
        try await withQueue { world in
            try await world.enqueue("case-1")
            let mover = Task {
                for _ in 0..<200 {
                    try await world.advance(.seconds(2))
                    for job in try await world.lease().jobs {
                        _ = try await world.queue.postpone(
                            job, for: .seconds(1), ending: .answered, next: nil, .refused)
                    }
                }
            }
            let watcher = Task {
                var idle = 0
                for _ in 0..<200 where try await world.queue.overview().isIdle { idle += 1 }
                return idle
            }
            try await mover.value
            #expect(try await watcher.value == 0)
        }
    }
}
