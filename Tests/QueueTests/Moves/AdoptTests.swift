import Queue
import Redis
import Refunds
import Testing

/// adopt: raw → queued | dead
@Suite struct AdoptTests {
    private let letter = Judgement.letter(
        reason: "malformed", code: "", name: "notJSON", hint: "mend it", text: #"{"raw":"bm8="}"#)

    private func judge(_ world: QueueWorld, _ entry: RawEntry) throws -> Judgement {
        let text = try #require(entry.job)
        return .job(try Job.validate(text, app: world.rules, from: .lane(entry.priority)).get(), text: text)
    }

    @Test(arguments: Priority.allCases)
    func `a raw entry becomes a job at the front of its lane, in the order of arrival`(lane: Priority) async throws {
        try await withQueue { world in
            let at = TestClock.start / 1000 + 5
            try await world.produce(world.text("late", transaction: "T1"), to: lane, entry: "\(at + 1)-0")
            try await world.produce(world.text("later", transaction: "T2"), to: lane, entry: "\(at + 2)-0")
            let raw = try await world.lease().raw
            #expect(raw.map(\.priority) == [lane, lane])
            // Judged in the wrong order on purpose.
            for entry in raw.reversed() {
                #expect(try await world.queue.adopt([(entry, judge(world, entry))]) == [.adopted])
            }
            #expect(try await world.place("late") == [.ready(lane.rawValue)])
            #expect(try await world.fields("late")["at"] == "\((at + 1) * 1000)")
            let census = try await world.census()
            #expect(census.entries.isEmpty && census.pending.isEmpty)
            #expect(try await world.lease().jobs.map(\.id) == ["late", "later"])
        }
    }

    @Test func `an entry's own time can't put it before its time`() async throws {
        try await withQueue { world in
            try await world.produce(world.text("future"), entry: "99999999999999-7")
            let raw = try await world.lease().raw
            #expect(try await world.queue.adopt([(raw[0], judge(world, raw[0]))]) == [.adopted])
            #expect(try await world.fields("future")["at"] == "\(try await world.now)")
        }
    }

    @Test func `raw entries are adopted exactly once by two workers`() async throws {
        try await withQueue { world in
            try await world.produce(world.text("case-1"))
            let entry = try #require(try await world.lease(worker: "w1").raw.first)
            let judgement = try judge(world, entry)
            async let one = world.queue.adopt([(entry, judgement)])
            async let two = world.queue.adopt([(entry, judgement)])
            let verdicts = try await [one[0], two[0]]
            #expect(Set(verdicts) == [.adopted, .gone])
            #expect(try await world.lease().jobs.map(\.id) == ["case-1"])
        }
    }

    @Test func `a duplicate leaves nothing behind`() async throws {
        try await withQueue { world in
            try await world.produce(world.text("case-1"))
            try await world.produce(world.text("case-1"))
            let raw = try await world.lease().raw
            #expect(try await world.queue.adopt(raw.map { ($0, try judge(world, $0)) }) == [.adopted, .duplicate])
            let census = try await world.census()
            #expect(census.jobs.count == 1 && census.entries.isEmpty && census.letters.isEmpty)
        }
    }

    @Test func `a conflict gets a letter of its own that names the other job and leaves it alone`() async throws {
        try await withQueue { world in
            try await world.enqueue("case-1", skus: ["one"])
            let before = try await world.fields("case-1")
            let text = world.text("case-1", skus: ["two"])
            try await world.produce(text, to: .bulk)
            let entry = try #require(try await world.lease(slots: 0).raw.first)
            #expect(try await world.queue.adopt([(entry, judge(world, entry))]) == [.letter])
            let letter = try #require(try await world.queue.deadLetters().first)
            #expect(letter.reason == "conflict" && letter.conflictsWith == "case-1" && letter.id != "case-1")
            #expect(letter.job == text && !letter.isOfJob && !letter.hint.isEmpty)
            #expect(try await world.fields("case-1") == before)
        }
    }

    @Test func `an item that was asked for already becomes a letter that names the other job`() async throws {
        try await withQueue { world in
            try await world.enqueue("first", transaction: "T")
            try await world.produce(world.text("second", transaction: "T"), to: .bulk)
            let entry = try #require(try await world.lease(slots: 0).raw.first)
            #expect(try await world.queue.adopt([(entry, judge(world, entry))]) == [.letter])
            let letter = try #require(try await world.queue.deadLetters().first)
            #expect(letter.reason == "alreadyRequested" && letter.conflictsWith == "first")
            #expect(try await world.queue.show("second") == nil)
        }
    }

    @Test func `a used reference id becomes a letter that names its user`() async throws {
        try await withQueue { world in
            let info = #"{"requestReferenceId":"1f0c2a52-0000-4000-8000-0000000000aa"}"#
            try await world.enqueue("first", requestInfo: info)
            try await world.produce(world.text("second", transaction: "T", requestInfo: info), to: .bulk)
            let entry = try #require(try await world.lease(slots: 0).raw.first)
            #expect(try await world.queue.adopt([(entry, judge(world, entry))]) == [.letter])
            let letter = try #require(try await world.queue.deadLetters().first)
            #expect(letter.reason == "referenceIdUsed" && letter.conflictsWith == "first")
        }
    }

    @Test func `what can't become a job keeps its bytes in a letter`() async throws {
        try await withQueue { world in
            try await world.produce("no")
            let entry = try #require(try await world.lease().raw.first)
            #expect(try await world.queue.adopt([(entry, letter)]) == [.letter])
            let found = try #require(try await world.queue.deadLetters().first)
            #expect(found.reason == "malformed" && found.name == "notJSON" && found.hint == "mend it")
            #expect(found.job == #"{"raw":"bm8="}"# && found.attempts == 0 && !found.isOpen)
            #expect(try await world.ledger(found.id).map { $0["kind"] } == ["dead"])
        }
    }

    @Test func `letters of two lanes are two letters, though their entries have one id`() async throws {
        try await withQueue { world in
            for lane in Priority.allCases { try await world.produce("no", to: lane, entry: "1700000000000-0") }
            let raw = try await world.lease().raw
            #expect(try await world.queue.adopt(raw.map { ($0, letter) }) == [.letter, .letter, .letter])
            let ids = try await world.queue.deadLetters().map(\.id)
            #expect(Set(ids).count == 3)
            for id in ids {
                #expect(try await world.queue.discard(id, act: QueueWorld.agent, finding: nil) == .discarded)
            }
            #expect(try await world.queue.deadLetters().isEmpty)
        }
    }

    @Test func `a producer's id can't be taken for a letter's`() async throws {
        try await withQueue { world in
            let job = try await world.sending("letter-4711")
            _ = try await world.queue.bury(job, ending: .answered, reason: "rejected", hint: "", .rejected)
            #expect(try await world.queue.deadLetters().first?.isOfJob == true)
            try await world.produce("no")
            let entry = try #require(try await world.lease().raw.first)
            _ = try await world.queue.adopt([(entry, letter)])
            let id = try #require(try await world.queue.deadLetters().last?.id)
            #expect(throws: (any Error).self) { try world.job(id) }
        }
    }

    @Test func `a batch of one hundred moves in one call, each with its own verdict`() async throws {
        try await withQueue { world in
            for number in 0..<100 {
                try await world.produce(
                    number.isMultiple(of: 3) ? "no" : world.text("case-\(number)", transaction: "T\(number)"))
            }
            let raw = try await world.lease(slots: 0, intake: 100).raw
            #expect(raw.count == 100)
            let verdicts = try await world.queue.adopt(
                raw.enumerated().map { ($1, $0.isMultiple(of: 3) ? letter : try judge(world, $1)) })
            #expect(verdicts == (0..<100).map { $0.isMultiple(of: 3) ? .letter : .adopted })
            let census = try await world.census()
            #expect(census.jobs.count == 66 && census.letters.count == 34 && census.pending.isEmpty)
            #expect(try await world.departures().count == 0)
        }
    }

    @Test func `a raw job that is not to be sent yet waits for its time`() async throws {
        try await withQueue { world in
            let due = TestClock.start / 1000 + 60_000
            try await world.produce(world.text("case-1", #","notBefore":\#(due)"#))
            let entry = try #require(try await world.lease().raw.first)
            #expect(try await world.queue.adopt([(entry, judge(world, entry))]) == [.adopted])
            #expect(try await world.place("case-1") == [.later])
            #expect(try await world.score("case-1", in: world.queue.keys.later) == due * 1000)
        }
    }

    // A reference that a lease read while its record was away (a Cluster slot on the move), judged once it is back.

    private func readWhileAway(_ world: QueueWorld, _ id: String) async throws -> RawEntry {
        let key = RedisWord(world.queue.keys.job(id))
        try await world.send("RENAME", key, "away")
        _ = try await world.lease()
        try await world.send("RENAME", "away", key)
        try await world.age(.normal)
        try await world.advance(.seconds(2))
        let entry = try #require(try await world.lease(slots: 0).raw.first)
        #expect(entry.reference == id)
        return entry
    }

    @Test func `a reference whose record came back goes to the front of its lane`() async throws {
        try await withQueue { world in
            try await world.enqueue("case-1")
            let entry = try await readWhileAway(world, "case-1")
            #expect(try await world.queue.adopt([(entry, .reference("case-1"))]) == [.adopted])
            #expect(try await world.place("case-1") == [.ready("normal")])
        }
    }

    @Test func `an open job that was redriven is not lost when its reference was read while its record was away`()
        async throws
    {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            _ = try await world.queue.bury(job, ending: .unclear, reason: "outcomeUnknown", hint: "", .timedOut)
            try await world.advance(.seconds(30))
            _ = try await world.queue.redrive("case-1", act: QueueWorld.agent)
            let entry = try await readWhileAway(world, "case-1")
            #expect(try await world.queue.adopt([(entry, .reference("case-1"))]) == [.adopted])
            #expect(try await world.place("case-1") == [.ready("normal")])
            try await world.advance(.seconds(2))
            #expect(try await world.leaseOne().referenceId == job.referenceId)
        }
    }

    @Test func `a withdrawn job can be redriven after its reference was adopted`() async throws {
        try await withQueue { world in
            try await world.enqueue("case-1")
            let entry = try await readWhileAway(world, "case-1")
            _ = try await world.queue.withdraw(["case-1"], act: QueueWorld.agent)
            #expect(try await world.queue.adopt([(entry, .reference("case-1"))]) == [.adopted])
            #expect(try await world.place("case-1") == [.dead])
            _ = try await world.queue.redrive("case-1", act: QueueWorld.agent)
            #expect(try await world.lease().jobs.map(\.id) == ["case-1"])
        }
    }

    @Test func `a reference to nothing becomes a letter that can be discarded`() async throws {
        try await withQueue { world in
            try await world.send("XADD", RedisWord(world.queue.keys.lane(.normal)), "*", "id", "nobody")
            #expect(try await world.lease().jobs.isEmpty)
            try await world.age(.normal)
            try await world.advance(.seconds(2))
            let entry = try #require(try await world.lease(slots: 0).raw.first)
            #expect(try await world.queue.adopt([(entry, .reference("nobody"))]) == [.letter])
            let letter = try #require(try await world.queue.deadLetters().first)
            #expect(letter.reason == "jobMissing")
            #expect(try await world.queue.discard(letter.id, act: QueueWorld.agent, finding: nil) == .discarded)
        }
    }
}
