import Crypto
import Queue
import Redis
import Refunds
import Testing

/// enqueue: (nothing) → queued
@Suite struct EnqueueTests {
    @Test(arguments: Priority.allCases)
    func `a job lands at the end of its lane, whole`(priority: Priority) async throws {
        try await withQueue { world in
            let job = try world.job("case-1", priority: priority, #","requestedBy":"agent-17","note":"ch. 9""#)
            let reference = job.referenceId(round: 0, environment: .production)
            #expect(try await world.queue.enqueue(job) == .enqueued(reference))
            #expect(try await world.place("case-1") == [.stream(priority.rawValue)])
            let fields = try await world.fields("case-1")
            #expect(fields["state"] == "queued")
            let digest = try await world.send("HGET", RedisWord(world.queue.keys.job("case-1")), "digest")
            #expect(digest.bytes?.hex == job.contentDigest)
            #expect(fields["envelope"] == job.envelope)
            #expect(fields["ref"] == reference.text)
            #expect(fields["body"]?.utf8.elementsEqual(job.bodyLessReference) == true)
            #expect(fields["lane"] == (priority == .normal ? nil : priority.rawValue))
            #expect(fields["at"] == "\(try await world.now)")
            #expect(fields["by"] == "agent-17")
            #expect(try await world.queue.show("case-1")?.job == job)
        }
    }

    @Test func `a job that is not to be sent before a time waits for it`() async throws {
        try await withQueue { world in
            let due = (TestClock.start / 1000) + 7_200_000
            try await world.enqueue("case-1", #","notBefore":\#(due)"#)
            #expect(try await world.place("case-1") == [.later])
            #expect(try await world.lease().jobs.isEmpty)
            try await world.advance(.seconds(7195))
            let lease = try await world.lease()
            #expect(lease.jobs.isEmpty)
            #expect(lease.nextMicroseconds == due * 1000)
            try await world.advance(.seconds(5))
            #expect(try await world.lease().jobs.map(\.id) == ["case-1"])
            #expect(try await world.lease().jobs.isEmpty, "it must be sent once")
        }
    }

    @Test func `a time that has passed holds nothing back`() async throws {
        try await withQueue { world in
            try await world.enqueue("case-1", #","notBefore":\#(TestClock.start / 1000 - 1000)"#)
            #expect(try await world.place("case-1") == [.stream("normal")])
        }
    }

    @Test func `the same id with the same content is a duplicate, and nothing happens twice`() async throws {
        try await withQueue { world in
            let job = try world.job("case-1")
            _ = try await world.queue.enqueue(job)
            let before = try await world.snapshot()
            let reference = job.referenceId(round: 0, environment: .production)
            #expect(try await world.queue.enqueue(job) == .duplicate(.queued, reference))
            #expect(try await world.snapshot() == before)
            _ = try await world.leaseOne()
            #expect(try await world.queue.enqueue(job) == .duplicate(.sending, reference))
        }
    }

    @Test func `a job without an id is known by its content`() async throws {
        try await withQueue { world in
            let job = try world.job(nil)
            #expect(job.id.hasPrefix("auto-"))
            #expect(try await world.queue.enqueue(job).isEnqueued)
            let again = try await world.queue.enqueue(try world.job(nil))
            #expect(again == .duplicate(.queued, job.referenceId(round: 0, environment: .production)))
        }
    }

    @Test func `the same id with other content is a conflict and leaves no trace`() async throws {
        try await withQueue { world in
            try await world.enqueue("case-1", skus: ["one"])
            let before = try await world.snapshot()
            #expect(try await world.enqueue("case-1", skus: ["two"]) == .conflict)
            #expect(try await world.snapshot() == before)
        }
    }

    @Test func `an item that another job has asked for is refused, naming that job`() async throws {
        try await withQueue { world in
            try await world.enqueue("first", transaction: "T", skus: ["a", "b"])
            let before = try await world.snapshot()
            #expect(
                try await world.enqueue("second", transaction: "T", skus: ["c", "b"]) == .alreadyRequested(by: "first"))
            #expect(try await world.snapshot() == before)
            #expect(try await world.enqueue("third", transaction: "T", skus: ["c"]).isEnqueued)
            #expect(try await world.enqueue("fourth", transaction: "other", skus: ["a"]).isEnqueued)
        }
    }

    @Test func `allowRepeat asks again for the same item`() async throws {
        try await withQueue { world in
            try await world.enqueue("first", transaction: "T")
            #expect(try await world.enqueue("second", transaction: "T", #","allowRepeat":true"#).isEnqueued)
        }
    }

    @Test func `a repeat that was allowed stands in the way as well, once the first is gone`() async throws {
        try await withQueue { world in
            try await world.enqueue("first", transaction: "T")
            try await world.enqueue("second", transaction: "T", #","allowRepeat":true"#)
            _ = try await world.queue.withdraw(["first"], act: QueueWorld.agent)
            #expect(try await world.enqueue("third", transaction: "T") == .alreadyRequested(by: "second"))
        }
    }

    struct Claim: Sendable, CustomTestStringConvertible {
        let first: Refunds.Operation
        let second: Refunds.Operation
        let isRefused: Bool
        var testDescription: String { "\(second) after \(first)" }
    }

    @Test(arguments: [
        Claim(first: .refund, second: .revoke, isRefused: true),
        Claim(first: .revoke, second: .refund, isRefused: true),
        Claim(first: .revoke, second: .revoke, isRefused: true),
        Claim(first: .cancel, second: .cancel, isRefused: true),
        Claim(first: .cancel, second: .refund, isRefused: false),
        Claim(first: .refund, second: .cancel, isRefused: false),
        Claim(first: .cancel, second: .revoke, isRefused: false),
        Claim(first: .revoke, second: .cancel, isRefused: false),
    ])
    func `a whole subscription claims every item, a cancellation none`(claim: Claim) async throws {
        try await withQueue { world in
            try await world.enqueue("first", transaction: "T", operation: claim.first)
            let entry = try await world.enqueue("second", transaction: "T", operation: claim.second)
            #expect(entry.isEnqueued != claim.isRefused)
            if claim.isRefused { #expect(entry == .alreadyRequested(by: "first")) }
        }
    }

    @Test func `an accepted job still stands in the way, a cancellation that is done does not`() async throws {
        try await withQueue { world in
            let refund = try await world.sending("refund", transaction: "T")
            _ = try await world.queue.settle(refund, httpStatus: 200, signedTransaction: "s", signedRenewal: nil)
            #expect(try await world.enqueue("again", transaction: "T") == .alreadyRequested(by: "refund"))
            let cancel = try await world.sending("cancel", transaction: "T", operation: .cancel)
            _ = try await world.queue.settle(cancel, httpStatus: 200, signedTransaction: "s", signedRenewal: nil)
            #expect(try await world.enqueue("cancel-2", transaction: "T", operation: .cancel).isEnqueued)
        }
    }

    @Test func `a given reference id is used for the first request, and refused to any other job`() async throws {
        try await withQueue { world in
            let given = "1f0c2a52-0000-4000-8000-0000000000aa"
            let info = #"{"requestReferenceId":"\#(given.uppercased())"}"#
            let reference = try #require(ReferenceId(given))
            #expect(try await world.enqueue("first", requestInfo: info) == .enqueued(reference))
            let before = try await world.snapshot()
            #expect(try await world.enqueue("second", requestInfo: info) == .referenceUsed(by: "first"))
            #expect(try await world.snapshot() == before)
            #expect(try await world.leaseOne().referenceId == reference)
        }
    }

    @Test func `a reference id that the fleet made and sent is refused to a producer`() async throws {
        try await withQueue { world in
            let sent = try await world.sending("first")
            let info = #"{"requestReferenceId":"\#(sent.referenceId.text)"}"#
            #expect(try await world.enqueue("second", requestInfo: info) == .referenceUsed(by: "first"))
        }
    }

    @Test func `a mended letter goes as soon as its job is there`() async throws {
        try await withQueue { world in
            let raw = try await world.produce("nonsense")
            let entry = try #require(try await world.lease().raw.first)
            #expect(entry.entryId == raw)
            let judgement = Judgement.letter(reason: "malformed", code: "", name: "", hint: "", text: "null")
            #expect(try await world.queue.adopt([(entry, judgement)]) == [.letter])
            let letter = try #require(try await world.queue.deadLetters().first)
            let job = try world.job("case-1", #","requestedBy":"anna""#)
            #expect(try await world.queue.enqueue(job, mending: letter.id).isEnqueued)
            #expect(try await world.queue.deadLetters().isEmpty)
            #expect(try await world.ledger("case-1", kind: "redriven").first?["letter"] == letter.id)
            #expect(try await world.queue.discard(letter.id, act: QueueWorld.agent, finding: nil) == .notDead)
        }
    }

    @Test func `mending a letter that is gone is refused without a trace`() async throws {
        try await withQueue { world in
            let before = try await world.snapshot()
            await #expect(throws: QueueError.self) {
                _ = try await world.queue.enqueue(world.job("case-1"), mending: "letter-nowhere")
            }
            #expect(try await world.snapshot() == before)
        }
    }

    @Test func `sixteen digits and awkward text pass byte for byte`() async throws {
        try await withQueue { world in
            let text = """
                {"id":"a:b.c-d_e","app":"audiobooks","operation":"refund","transactionId":"2000000123456789",
                 "originalTransactionId":"9007199254740993","amountIncludesTax":true,"note":"née 🎧 \\"{1}\\" %s",
                 "request":{"items":[{"SKU":"hörbuch.💶 %b{}\\"","refundReason":"LEGAL","refundType":"CUSTOM",
                 "refundAmount":9007199254740990,"revoke":false}],"refundRiskingPreference":false,"currency":"EUR",
                 "storefront":"DEU"}}
                """
            let job = try Job.validate(Array(text.utf8), app: world.rules).get()
            #expect(try await world.queue.enqueue(job).isEnqueued)
            let leased = try await world.leaseOne()
            #expect(leased.body == job.body(referenceId: leased.referenceId))
            #expect(leased.transactionId == "2000000123456789")
            let line = try #require(try await world.ledger("a:b.c-d_e", kind: "request").first)
            #expect(line["requested"] == "9007199254740990")
            #expect(line["SKU"] == "hörbuch.💶 %b{}\"")
            _ = try await world.queue.bury(leased, ending: .answered, reason: "rejected", hint: "", .rejected)
            let letter = try #require(try await world.queue.deadLetter("a:b.c-d_e"))
            #expect(try Job.validate(Array(letter.job.utf8), app: world.rules).get() == job)
        }
    }
}
