import Queue
import Redis
import Refunds
import Testing

/// Runs of answers that say more about the app than about its jobs.
@Suite struct `Agreement suspects` {
    struct Run: Sendable, CustomTestStringConvertible {
        let code: Int64
        let length: Int
        let reason: String
        var testDescription: String { "\(code) × \(length)" }
    }

    static let runs = [
        Run(code: 4_000_135, length: 3, reason: "operationNotAllowed"),
        Run(code: 4_030_010, length: 3, reason: "subscriptionNotEligible"),
        Run(code: 4_040_010, length: 5, reason: "transactionsNotFound"),
        Run(code: 4_030_020, length: 3, reason: "insufficientFunds"),
    ]

    func refuse(_ id: String, code: Int64, in world: QueueWorld, transaction: String? = nil) async throws {
        let job = try await world.sending(id, transaction: transaction)
        _ = try await world.queue.bury(
            job, ending: .answered, reason: "rejected", hint: "",
            AttemptResult("rejected", httpStatus: Int(code / 10_000), errorCode: code))
    }

    @Test(arguments: runs)
    func `of different transactions in a row pause the app, and the letters bear the pause's number`(
        _ run: Run
    ) async throws {
        try await withQueue { world in
            for number in 1..<run.length { try await refuse("case-\(number)", code: run.code, in: world) }
            #expect(try await world.queue.overview().paused == nil)
            try await refuse("case-\(run.length)", code: run.code, in: world)
            #expect(try await world.queue.overview().paused?.reason == run.reason)
            let letters = try await world.queue.deadLetters()
            #expect(letters.count == run.length)
            #expect(letters.allSatisfy { $0.pause == "1" })
            #expect(try await world.queue.takeAlarms(worker: "w1").map(\.kind) == ["paused"])
        }
    }

    @Test(arguments: runs.filter { $0.reason != "insufficientFunds" })
    func `are broken by any other answer`(_ run: Run) async throws {
        try await withQueue { world in
            for number in 1..<run.length { try await refuse("case-\(number)", code: run.code, in: world) }
            let good = try await world.sending("good")
            _ = try await world.queue.settle(good, httpStatus: 200, signedTransaction: "x", signedRenewal: nil)
            try await refuse("case-\(run.length)", code: run.code, in: world)
            #expect(try await world.queue.overview().paused == nil)
        }
    }

    @Test func `that were under way when the run paused the app bear its number, too`() async throws {
        try await withQueue { world in
            for number in 1...4 { try await world.enqueue("case-\(number)") }
            let jobs = try await world.lease().jobs
            #expect(jobs.count == 4)
            for job in jobs {
                _ = try await world.queue.bury(
                    job, ending: .answered, reason: "rejected", hint: "",
                    AttemptResult("rejected", httpStatus: 400, errorCode: 4_000_135))
            }
            #expect(try await world.queue.deadLetters().map(\.pause) == ["1", "1", "1", "1"])
        }
    }

    @Test func `give no number to a later letter of the same job, which somebody took back`() async throws {
        try await withQueue { world in
            for number in 1...2 { try await refuse("case-\(number)", code: 4_000_135, in: world) }
            _ = try await world.queue.redrive("case-1", act: QueueWorld.agent)
            _ = try await world.queue.withdraw(["case-1"], act: QueueWorld.agent)
            try await refuse("case-3", code: 4_000_135, in: world)
            let letters = try await world.queue.deadLetters()
            #expect(
                Dictionary(uniqueKeysWithValues: letters.map { ($0.id, $0.pause ?? "none") })
                    == ["case-1": "none", "case-2": "1", "case-3": "1"])
        }
    }

    @Test func `of one transaction alone say nothing about the app`() async throws {
        try await withQueue { world in
            for number in 1...4 { try await refuse("case-\(number)", code: 4_000_135, in: world, transaction: "T") }
            #expect(try await world.queue.overview().paused == nil)
        }
    }

    @Test func `about funds count within an hour, whatever comes between`() async throws {
        try await withQueue { world in
            try await refuse("case-1", code: 4_030_020, in: world)
            try await world.advance(.seconds(3601))
            try await refuse("case-2", code: 4_030_020, in: world)
            let good = try await world.sending("good")
            _ = try await world.queue.settle(good, httpStatus: 200, signedTransaction: "x", signedRenewal: nil)
            try await refuse("case-3", code: 4_030_020, in: world)
            #expect(try await world.queue.overview().paused == nil)
            try await refuse("case-4", code: 4_030_020, in: world)
            #expect(try await world.queue.overview().paused?.reason == "insufficientFunds")
            #expect(try await world.queue.deadLetters().map(\.pause) == [nil, "1", "1", "1"])
        }
    }

    @Test func `a 401 that one of two workers saw pauses the app only when the other one sees it, too`() async throws {
        try await withQueue { world in
            let first = try await world.sending("case-1", worker: "w1")
            let act = Act(by: "fleet", why: "401")
            let one = try await world.queue.pause(
                reason: "unauthorized", act: act, because: first, ending: .unclear, next: nil, seenBy: "w1", .refused)
            #expect(one.verdict == .waitsForSecondWorker)
            #expect(try await world.queue.overview().paused == nil)
            try await world.advance(.seconds(2))
            let again = try await world.leaseOne(worker: "w1")
            #expect(again.referenceId == first.referenceId)
            let same = try await world.queue.pause(
                reason: "unauthorized", act: act, because: again, ending: .answered, next: nil, seenBy: "w1", .refused)
            #expect(same.verdict == .waitsForSecondWorker)
            try await world.advance(.seconds(2))
            let other = try await world.leaseOne(worker: "w2")
            let two = try await world.queue.pause(
                reason: "unauthorized", act: act, because: other, ending: .answered, next: nil, seenBy: "w2", .refused)
            #expect(two.verdict == .paused)
            #expect(try await world.queue.overview().paused?.reason == "unauthorized")
        }
    }
}
