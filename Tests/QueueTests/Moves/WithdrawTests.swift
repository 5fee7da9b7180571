import Queue
import Redis
import Refunds
import Testing

/// withdraw: queued, waiting → dead
@Suite struct WithdrawTests {
    private func withdraw(_ world: QueueWorld, _ ids: String..., isDryRun: Bool = false) async throws -> [Withdrawal] {
        let verdicts = try await world.queue.withdraw(ids, act: QueueWorld.agent, isDryRun: isDryRun)
        #expect(verdicts.map(\.id) == ids)
        return verdicts.map(\.verdict)
    }

    @Test(arguments: ["stream", "ready", "later", "line", "not before"])
    func `a job that was not sent is taken back from wherever it waits`(place: String) async throws {
        try await withQueue { world in
            switch place {
            case "ready": _ = try await world.queue.release(world.sending("case-1", transaction: "T"), why: "late")
            case "later":
                _ = try await world.queue.postpone(
                    world.sending("case-1", transaction: "T"), for: .seconds(9), ending: .answered, next: nil, .rejected
                )
            case "line":
                _ = try await world.sending("owner", transaction: "T", skus: ["x"])
                try await world.enqueue("case-1", transaction: "T")
                _ = try await world.lease()
            case "not before":
                try await world.enqueue(
                    "case-1", transaction: "T", #","notBefore":\#(TestClock.start / 1000 + 60_000)"#)
            default: try await world.enqueue("case-1", transaction: "T")
            }
            let lag = try await world.lag(.normal)
            #expect(try await withdraw(world, "case-1") == [.withdrawn])
            #expect(try await world.lag(.normal) == lag, "the group's lag must stay known")
            #expect(try await world.place("case-1") == [.dead])
            let letter = try #require(try await world.queue.deadLetter("case-1"))
            #expect(letter.reason == "withdrawn" && letter.hint.contains("agent-17") && !letter.isOpen)
            let line = try #require(try await world.ledger("case-1", kind: "withdrawn").first)
            #expect(line["by"] == "agent-17" && line["why"] == "the customer called")
            #expect(try await world.enqueue("again", transaction: "T").isEnqueued, "its claim is gone")
            try await world.advance(.seconds(100))
            #expect(try await !world.lease().jobs.map(\.id).contains("case-1"))
        }
    }

    @Test func `what may have been sent is named and left alone`() async throws {
        try await withQueue { world in
            let open = try await world.sending("open")
            _ = try await world.queue.postpone(open, for: .seconds(9), ending: .unclear, next: nil, .timedOut)
            let done = try await world.sending("done")
            _ = try await world.queue.settle(done, httpStatus: 200, signedTransaction: "s", signedRenewal: nil)
            _ = try await world.sending("sending")
            let before = try await world.snapshot()
            #expect(
                try await withdraw(world, "open", "done", "sending", "nobody")
                    == [.open, .notWithdrawable(.accepted), .notWithdrawable(.sending), .missing])
            #expect(try await world.snapshot() == before)
        }
    }

    @Test func `a dry run names and changes nothing`() async throws {
        try await withQueue { world in
            try await world.enqueue("case-1")
            let before = try await world.snapshot()
            #expect(try await withdraw(world, "case-1", isDryRun: true) == [.withdrawn])
            #expect(try await world.snapshot() == before)
        }
    }

    @Test func `taken back twice is taken back once`() async throws {
        try await withQueue { world in
            try await world.enqueue("case-1")
            #expect(try await withdraw(world, "case-1", "case-1") == [.withdrawn, .notWithdrawable(.dead)])
            #expect(try await world.queue.deadLetters().count == 1)
        }
    }

    @Test func `a follower that was woken and then withdrawn strands nobody behind it`() async throws {
        try await withQueue { world in
            let owner = try await world.sending("owner", transaction: "T", skus: ["0"])
            try await world.enqueue("second", transaction: "T", skus: ["1"])
            try await world.enqueue("third", transaction: "T", skus: ["2"])
            _ = try await world.lease()
            _ = try await world.queue.settle(owner, httpStatus: 200, signedTransaction: "s", signedRenewal: nil)
            #expect(try await world.place("second") == [.ready("normal")])
            #expect(try await withdraw(world, "second") == [.withdrawn])
            try await world.advance(.seconds(2))
            #expect(try await world.lease().jobs.map(\.id) == ["third"])
        }
    }

    @Test(arguments: [true, false])
    func `a withdrawn job that is redriven is sent once`(isDropped: Bool) async throws {
        try await withQueue { world in
            try await world.enqueue("case-1")
            _ = try await withdraw(world, "case-1")
            // Either `lease` has met the reference meanwhile, or it still lies in the stream.
            if isDropped { #expect(try await world.lease().jobs.isEmpty) }
            #expect(try await world.queue.redrive("case-1", act: QueueWorld.agent) != .missing)
            #expect(try await world.place("case-1") == [.stream("normal")])
            #expect(try await world.lease().jobs.map(\.id) == ["case-1"])
            #expect(try await world.census().entries.isEmpty)
            try await world.advance(.seconds(2))
            #expect(try await world.lease().jobs.isEmpty)
        }
    }
}
