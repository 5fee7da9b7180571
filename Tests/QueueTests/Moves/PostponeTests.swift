import Queue
import Redis
import Refunds
import Testing

/// postpone: sending → waiting | unclear
@Suite struct PostponeTests {
    @Test func `a retry of a request that was never answered keeps id, bytes and line`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            #expect(
                try await world.queue.postpone(job, for: .milliseconds(1500), ending: .unclear, next: nil, .timedOut)
                    == .to(.unclear))
            let fields = try await world.fields("case-1")
            #expect(fields["state"] == "unclear" && fields["unclear"] == "1" && fields["worker"] == nil)
            #expect(try await world.score("case-1", in: world.queue.keys.later) == world.now + 1_500_000)
            #expect(try await world.census().purchases["T-case-1"]?["owner"] == "case-1")
            try await world.advance(.seconds(2))
            let again = try await world.leaseOne(worker: "w2")
            #expect(again.referenceId == job.referenceId && again.body == job.body && again.round == 0)
            #expect(again.sends == 2 && again.attempts == 2 && again.unclearSends == 1 && again.isOpen)
            #expect(again.firstSentAt == job.firstSentAt && again.lostLeases == 0)
        }
    }

    @Test func `an id once unclear stays open, whatever later sends of it answer`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            _ = try await world.queue.postpone(job, for: .zero, ending: .unclear, next: nil, .timedOut)
            let again = try await world.leaseAfter(.seconds(2))
            let before = try await world.snapshot()
            #expect(
                try await world.queue.postpone(again, for: .zero, ending: .answered, next: world.next(again), .rejected)
                    == .refusedWhileOpen)
            #expect(try await world.snapshot() == before)
            #expect(
                try await world.queue.postpone(again, for: .zero, ending: .answered, next: nil, .rejected)
                    == .to(.unclear))
            #expect(try await world.leaseAfter(.seconds(2)).referenceId == job.referenceId)
        }
    }

    @Test func `a new id with a send that ends without an answer is refused`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            #expect(
                try await world.queue.postpone(job, for: .zero, ending: .unclear, next: world.next(job), .timedOut)
                    == .refusedWhileOpen)
            #expect(try await world.state("case-1") == "sending")
        }
    }

    @Test func `a rejected request may go under the next round's id, in otherwise equal bytes`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            let next = world.next(job)
            #expect(
                try await world.queue.postpone(job, for: .seconds(1), ending: .answered, next: next, .rejected)
                    == .to(.waiting))
            #expect(try await world.census().purchases["T-case-1"]?["owner"] == nil)
            let again = try await world.leaseAfter(.seconds(2))
            #expect(again.referenceId == next && again.round == 1 && again.sends == 1 && again.attempts == 2)
            #expect(
                String(decoding: again.body, as: UTF8.self)
                    == String(decoding: job.body, as: UTF8.self).replacing(job.referenceId.text, with: next.text))
            let attempts = try #require(try await world.queue.show("case-1")?.attempts)
            #expect(attempts.map(\.referenceId) == [job.referenceId.text, next.text])
            #expect(attempts.map(\.number) == [1, 2])
        }
    }

    @Test func `the same id again after an answer is allowed as well`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            _ = try await world.queue.postpone(job, for: .zero, ending: .answered, next: nil, .refused)
            let again = try await world.leaseAfter(.seconds(2))
            #expect(again.referenceId == job.referenceId && again.sends == 2 && !again.isOpen)
        }
    }

    @Test func `a request that never left costs neither permit nor attempt`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            #expect(
                try await world.queue.postpone(job, for: .seconds(1), ending: .unsent, next: nil, .notConnected)
                    == .to(.waiting))
            #expect(try await world.departures().isEmpty)
            let again = try await world.leaseAfter(.seconds(2))
            #expect(again.attempts == 1 && again.sends == 1 && again.referenceId == job.referenceId)
            #expect(try await world.queue.show("case-1")?.attempts.map(\.result) == ["notConnected", "sending"])
        }
    }

    @Test func `a repeat that never left leaves the id open`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            _ = try await world.queue.postpone(job, for: .zero, ending: .unclear, next: nil, .timedOut)
            let again = try await world.leaseAfter(.seconds(2))
            #expect(
                try await world.queue.postpone(again, for: .zero, ending: .unsent, next: nil, .notConnected)
                    == .to(.unclear))
            #expect(try await world.census().purchases["T-case-1"]?["owner"] == "case-1")
        }
    }

    @Test func `a lost lease postpones nothing`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            try await world.advance(.seconds(61))
            let other = try await world.leaseOne(worker: "w2")
            let before = try await world.snapshot()
            #expect(try await world.queue.postpone(job, for: .zero, ending: .answered, next: nil, .rejected) == .stale)
            #expect(try await world.snapshot() == before)
            #expect(
                try await world.queue.postpone(other, for: .zero, ending: .answered, next: nil, .rejected)
                    == .to(.unclear))
            #expect(
                try await world.queue.postpone(other, for: .zero, ending: .answered, next: nil, .rejected) == .stale)
        }
    }

    @Test func `the answer is in the job's record and in the books`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            try await world.advance(.milliseconds(250))
            _ = try await world.queue.postpone(job, for: .zero, ending: .answered, next: nil, .rejected)
            let attempt = try #require(try await world.queue.show("case-1")?.attempts.first)
            #expect(attempt.startedAt == job.departedMicroseconds / 1000 && attempt.endedAt == attempt.startedAt + 250)
            #expect(
                attempt.httpStatus == 400 && attempt.errorCode == 4_000_023
                    && attempt.errorName == "InvalidRefundAmount")
            let line = try #require(try await world.ledger("case-1", kind: "answer").first)
            #expect(line["errorCode"] == "4000023" && line["httpStatus"] == "400" && line["result"] == "rejected")
        }
    }

    @Test func `a given id serves the first round only`() async throws {
        try await withQueue { world in
            let info = #"{"requestReferenceId":"1f0c2a52-0000-4000-8000-0000000000aa","appAccountToken":""}"#
            let job = try await world.sending("case-1", requestInfo: info)
            _ = try await world.queue.postpone(job, for: .zero, ending: .answered, next: world.next(job), .rejected)
            let again = try await world.leaseAfter(.seconds(2))
            _ = try await world.queue.bury(again, ending: .answered, reason: "rejected", hint: "", .rejected)
            let letter = try #require(try await world.queue.deadLetter("case-1"))
            #expect(!letter.job.contains(again.referenceId.text))
            #expect(letter.job.contains(#""requestInfo":{"appAccountToken":""}"#))
            _ = try Job.validate(Array(letter.job.utf8), app: world.rules).get()
        }
    }
}

extension QueueWorld {
    func leaseAfter(_ time: Duration, worker: String = "w2", sourceLocation: SourceLocation = #_sourceLocation)
        async throws -> LeasedJob
    {
        try await advance(time)
        return try await leaseOne(worker: worker, sourceLocation: sourceLocation)
    }
}
