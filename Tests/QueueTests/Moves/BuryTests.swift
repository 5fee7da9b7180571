import Queue
import Redis
import Refunds
import Testing

/// bury: sending → dead
@Suite struct BuryTests {
    @Test func `a letter says what happened and what can be done`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1", #","note":"ch. 9""#)
            let moved = try await world.queue.bury(
                job, ending: .answered, reason: "rejected", hint: "lower the amount", .rejected)
            #expect(moved == .to(.dead))
            #expect(try await world.place("case-1") == [.dead])
            let letter = try #require(try await world.queue.deadLetter("case-1"))
            #expect(letter.reason == "rejected" && letter.code == "4000023" && letter.name == "InvalidRefundAmount")
            #expect(letter.hint == "lower the amount" && letter.attempts == 1 && !letter.isOpen && letter.isOfJob)
            let now = try await world.now
            #expect(letter.at == now / 1000)
            let stored = try await world.queue.show("case-1")?.job
            #expect(try Job.validate(Array(letter.job.utf8), app: world.rules).get() == stored)
            #expect(try await world.ledger("case-1").map { $0["kind"] } == ["request", "answer", "dead"])
            #expect(try await world.ledger("case-1").last?["reason"] == "rejected")
        }
    }

    /// Members of the envelope, and a `requestInfo`.
    static let tellings: [(String, String?)] = [
        ("", nil), ("", "{}"), (#","note":"x""#, "{}"),
        ("", #"{"requestReferenceId":"1F0C2A52-6B0E-4B6E-9D55-3A2F6F1F9A01"}"#),
        (#","note":"z""#, #"{"requestReferenceId":"1F0C2A52-6B0E-4B6E-9D55-3A2F6F1F9A01","consistencyToken":"c"}"#),
        ("", #"{"appAccountToken":"7e3fb20b-4cdb-47cc-936d-99d65f608138"}"#),
        (#","note":"\"requestInfo\":{},","requestedBy":"a/\"7\" é 🙂""#, nil),
        (#","note":"\"requestInfo\":{}","allowRepeat":true,"notBefore":1796026928051"#, #"{"consistencyToken":"{"}"#),
        (#","originalTransactionId":"7","requestedBy":"agent""#, nil),
    ]

    @Test(arguments: tellings, [Refunds.Operation.refund, .revoke, .cancel])
    func `a letter has the job as its producer wrote it`(
        telling: (more: String, info: String?), operation: Refunds.Operation
    ) async throws {
        try await withQueue { world in
            for priority in [Priority.normal, .bulk] {
                let id = "case-\(priority)"
                let job = try world.job(
                    id, transaction: "T-\(priority)", operation: operation, priority: priority,
                    requestInfo: priority == .normal ? telling.info : nil, telling.more)
                #expect(try await world.queue.enqueue(job).isEnqueued)
                let lease = try await world.leaseAfter(.seconds(2))
                #expect(lease.body == job.body(referenceId: lease.referenceId))
                _ = try await world.queue.bury(lease, ending: .answered, reason: "rejected", hint: "", .rejected)
                let letter = try #require(try await world.queue.deadLetter(id))
                #expect(try Job.validate(Array(letter.job.utf8), app: world.rules).get() == job, "\(letter.job)")
                #expect(try JSON(reading: letter.job)["requestInfo"] == nil)
            }
        }
    }

    @Test func `a letter without an open id lets go of line and claims`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1", transaction: "T")
            try await world.enqueue("next", transaction: "T", skus: ["other"])
            _ = try await world.queue.bury(job, ending: .answered, reason: "rejected", hint: "", .rejected)
            #expect(try await world.enqueue("again", transaction: "T").isEnqueued)
            try await world.advance(.seconds(2))
            #expect(try await world.lease().jobs.map(\.id) == ["next"])
        }
    }

    @Test func `a letter whose id is open keeps line and claims`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1", transaction: "T")
            try await world.enqueue("next", transaction: "T", skus: ["other"])
            _ = try await world.queue.bury(job, ending: .unclear, reason: "outcomeUnknown", hint: "", .timedOut)
            #expect(try await world.queue.deadLetter("case-1")?.isOpen == true)
            #expect(try await world.enqueue("again", transaction: "T") == .alreadyRequested(by: "case-1"))
            try await world.advance(.seconds(1000))
            #expect(try await world.lease().jobs.isEmpty)
            #expect(try await world.queue.overview().isIdle, "followers of a dead letter don't count")
        }
    }

    @Test func `a letter of a request that never left gives permit and attempt back`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            _ = try await world.queue.bury(job, ending: .unsent, reason: "attemptsUsed", hint: "", .notConnected)
            #expect(try await world.departures().isEmpty)
            #expect(try await world.queue.deadLetter("case-1")?.attempts == 0)
        }
    }

    @Test func `a lost lease buries nothing`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            _ = try await world.queue.reclaim(from: "w1")
            let before = try await world.snapshot()
            #expect(
                try await world.queue.bury(job, ending: .answered, reason: "rejected", hint: "", .rejected) == .stale)
            #expect(try await world.snapshot() == before)
        }
    }
}
