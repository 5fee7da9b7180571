import Queue
import Redis
import Refunds
import Testing

/// lease: queued, waiting, unclear → sending
@Suite struct LeaseTests {
    @Test func `a job leaves its lane together with its permit and is written down whole`() async throws {
        try await withQueue { world in
            try await world.enqueue("case-1", priority: .urgent, #","requestedBy":"agent-17""#)
            let lease = try await world.lease()
            let now = try await world.now
            let job = try #require(lease.jobs.first)
            #expect(lease.nowMicroseconds == now && !lease.hasMore && lease.pausedFor == nil && lease.missing == nil)
            #expect(lease.blockedUntilMicroseconds == nil && lease.raw.isEmpty)
            #expect(lease.nextMicroseconds == now + 60_000_000, "the lease's own end is the next thing to look at")
            #expect(job.fence == "1" && job.round == 0 && job.attempts == 1 && job.sends == 1 && job.unclearSends == 0)
            #expect(job.firstSentAt == now / 1000 && job.departedMicroseconds == now && job.priority == .urgent)
            #expect(job.operation == .refund && job.transactionId == "T-case-1" && job.lostLeases == 0)
            let fields = try await world.fields("case-1")
            #expect(fields["state"] == "sending" && fields["worker"] == "w1" && fields["fence"] == "1")
            #expect(try await world.place("case-1") == [.lease])
            let census = try await world.census()
            #expect(census.entries.isEmpty && census.pending.isEmpty)
            #expect(census.purchases["T-case-1"]?["owner"] == "case-1")
            #expect(try await world.departures() == [now])
            let line = try #require(try await world.ledger("case-1").first)
            #expect(line["kind"] == "request" && line["operation"] == "refund" && line["transactionId"] == "T-case-1")
            #expect(line["requestReferenceId"] == job.referenceId.text && line["attempt"] == "1")
            #expect(line["SKU"] == "audiobook.4711" && line["reason"] == "LEGAL" && line["type"] == "FULL")
            #expect(line["requested"] == nil, "unknown is empty, never 0")
            #expect(line["requestedBy"] == "agent-17" && line["repeat"] == nil)
        }
    }

    @Test(arguments: Refunds.Operation.allCases)
    func `the books name each item that was asked for`(operation: Refunds.Operation) async throws {
        try await withQueue { world in
            _ = try await world.sending("case-1", skus: ["a", "b"], operation: operation)
            let lines = try await world.ledger("case-1", kind: "request")
            #expect(lines.map { $0["SKU"] } == (operation == .refund ? ["a", "b"] : [nil]))
            #expect(lines.map { $0["operation"] } == lines.map { _ in operation.rawValue })
        }
    }

    @Test func `as many jobs as there are free slots, oldest first`() async throws {
        try await withQueue { world in
            for number in 1...5 { try await world.enqueue("case-\(number)") }
            #expect(try await world.lease(slots: 0).jobs.isEmpty)
            #expect(try await world.lease(slots: 2).jobs.map(\.id) == ["case-1", "case-2"])
            #expect(try await world.lease(slots: 9).jobs.map(\.id) == ["case-3", "case-4", "case-5"])
        }
    }

    // MARK: The line of a purchase

    @Test func `one at a time for a purchase, urgent first and then by age`() async throws {
        try await withQueue { world in
            let first = try await world.sending("first", transaction: "T", skus: ["0"])
            try await world.enqueue("bulk", transaction: "T", skus: ["1"], priority: .bulk)
            try await world.advance(.seconds(1))
            try await world.enqueue("old", transaction: "T", skus: ["2"])
            try await world.advance(.seconds(1))
            try await world.enqueue("new", transaction: "T", skus: ["3"])
            try await world.enqueue("urgent", transaction: "T", skus: ["4"], priority: .urgent)
            try await world.enqueue("other", transaction: "U")
            try await world.advance(.seconds(2))
            #expect(try await world.lease().jobs.map(\.id) == ["other"])
            for id in ["bulk", "old", "new", "urgent"] {
                #expect(try await world.place(id) == [.line("T")])
                #expect(try await world.queue.show(id)?.waitsFor == "first")
                #expect(try await world.state(id) == "queued")
            }
            var sent: [String] = []
            var owner = first
            for _ in 0..<4 {
                _ = try await world.queue.settle(owner, httpStatus: 200, signedTransaction: "s", signedRenewal: nil)
                try await world.advance(.seconds(2))
                let lease = try await world.lease()
                #expect(lease.jobs.count == 1)
                owner = try #require(lease.jobs.first)
                #expect(try await world.queue.show(owner.id)?.waitsFor == nil)
                sent.append(owner.id)
            }
            #expect(sent == ["urgent", "old", "new", "bulk"])
        }
    }

    @Test func `jobs that share an original transaction go one after another`() async throws {
        try await withQueue { world in
            try await world.enqueue("first", transaction: "T1", #","originalTransactionId":"O""#)
            try await world.enqueue("second", transaction: "T2", #","originalTransactionId":"O""#)
            try await world.enqueue("third", transaction: "O")
            let lease = try await world.lease()
            #expect(lease.jobs.map(\.id) == ["first"])
            #expect(try await world.place("third") == [.line("O")])
        }
    }

    @Test(arguments: [true, false])
    func `jobs of one transaction go one after another, whether or not both know the original`(knows: Bool) async throws
    {
        try await withQueue { world in
            let original = #","originalTransactionId":"O""#
            try await world.enqueue("first", transaction: "T", skus: ["a"], knows ? original : "")
            try await world.enqueue("second", transaction: "T", skus: ["b"], knows ? "" : original)
            let lease = try await world.lease()
            #expect(lease.jobs.map(\.id) == ["first"])
            _ = try await world.queue.settle(lease.jobs[0], httpStatus: 200, signedTransaction: "s", signedRenewal: nil)
            try await world.advance(.seconds(2))
            #expect(try await world.lease().jobs.map(\.id) == ["second"])
        }
    }

    @Test func `nobody is forgotten when a follower has to line up a second time elsewhere`() async throws {
        try await withQueue { world in
            let original = #","originalTransactionId":"O""#
            let owner = try await world.sending("owner", transaction: "T1", original)
            try await world.enqueue("between", transaction: "T2", skus: ["a"], priority: .urgent, original)
            try await world.enqueue("last", transaction: "T3", original)
            #expect(try await world.lease().jobs.isEmpty)
            let other = try await world.sending("other", transaction: "T2", skus: ["b"])
            _ = try await world.queue.settle(owner, httpStatus: 200, signedTransaction: "s", signedRenewal: nil)
            try await world.advance(.seconds(2))
            #expect(try await world.lease().jobs.map(\.id) == ["last"])
            #expect(try await world.place("between") == [.line("T2")])
            _ = try await world.queue.settle(other, httpStatus: 200, signedTransaction: "s", signedRenewal: nil)
            try await world.advance(.seconds(2))
            #expect(try await world.lease().jobs.isEmpty, "the original's line is owned by now")
            #expect(try await world.place("between") == [.line("O")])
        }
    }

    @Test func `while an id is open no other job of the purchase is sent`() async throws {
        try await withQueue { world in
            let first = try await world.sending("first", transaction: "T", skus: ["a"])
            _ = try await world.queue.postpone(first, for: .seconds(100), ending: .unclear, next: nil, .timedOut)
            try await world.enqueue("second", transaction: "T", skus: ["b"])
            try await world.advance(.seconds(2))
            #expect(try await world.lease().jobs.isEmpty)
            try await world.advance(.seconds(100))
            let again = try await world.lease().jobs
            #expect(again.map(\.id) == ["first"] && again[0].isOpen && again[0].referenceId == first.referenceId)
            #expect(again[0].body == first.body && again[0].sends == 2 && again[0].attempts == 2)
            #expect(try await world.ledger("first", kind: "request").last?["repeat"] == "1")
        }
    }

    // MARK: Lanes

    @Test func `of ten permits normal and bulk get one each while they wait`() async throws {
        try await withQueue { world in
            for number in 0..<30 {
                for lane in Priority.allCases { try await world.enqueue("\(lane)-\(number)", priority: lane) }
            }
            var order: [Priority] = []
            while order.count < 30 {
                let jobs = try await world.lease(slots: 3).jobs
                order += jobs.map(\.priority)
                try await world.advance(.milliseconds(1025))
            }
            for start in stride(from: 0, to: 30, by: 10) {
                let ten = order[start..<start + 10]
                #expect(ten.count { $0 == .urgent } == 8)
                #expect(ten.count { $0 == .normal } == 1)
                #expect(ten.count { $0 == .bulk } == 1)
            }
        }
    }

    @Test func `a lane's turn goes to the next one when nothing waits in it`() async throws {
        try await withQueue { world in
            for number in 0..<6 { try await world.enqueue("case-\(number)", priority: .bulk) }
            #expect(try await world.lease(slots: 5).jobs.count == 5)
        }
    }

    @Test func `a retry that is due goes before what came after it`() async throws {
        try await withQueue { world in
            let old = try await world.sending("old")
            _ = try await world.queue.postpone(old, for: .seconds(10), ending: .answered, next: nil, .rejected)
            try await world.enqueue("new")
            try await world.advance(.seconds(10))
            #expect(try await world.lease().jobs.map(\.id) == ["old", "new"])
        }
    }

    @Test func `the next call is due at the earliest retry`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            _ = try await world.queue.postpone(job, for: .seconds(10), ending: .answered, next: nil, .rejected)
            let lease = try await world.lease()
            #expect(lease.wait == .seconds(10))
        }
    }

    @Test func `sixty-five due retries come in two calls`() async throws {
        try await withQueue { world in
            for number in 0..<65 {
                try await world.enqueue("case-\(number)", #","notBefore":\#(TestClock.start / 1000 + 10_000)"#)
            }
            try await world.advance(.seconds(10))
            #expect(try await world.lease(slots: 0).hasMore)
            #expect(try await !world.lease(slots: 0).hasMore)
            #expect(try await world.census().members("ready:normal").count == 65)
        }
    }

    // MARK: Expired leases

    @Test func `an expired lease makes the job unclear, due once its request can't be under way any more`() async throws
    {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            try await world.advance(.milliseconds(59_999))
            #expect(try await world.lease().jobs.isEmpty)
            #expect(try await world.state("case-1") == "sending")
            try await world.advance(.milliseconds(1))
            // The time-out of 30 s has passed since departure, so it goes again at once.
            let again = try await world.lease(worker: "w2")
            #expect(again.jobs.map(\.id) == ["case-1"])
            #expect(again.jobs[0].referenceId == job.referenceId && again.jobs[0].body == job.body)
            #expect(again.jobs[0].unclearSends == 1 && again.jobs[0].lostLeases == 1)
            #expect(try #require(Int(again.jobs[0].fence)) > 1)
            #expect(try await world.ledger("case-1", kind: "answer").first?["result"] == "lost")
        }
    }

    @Test func `a job whose lease was lost three times is dead, and its id stays open`() async throws {
        try await withQueue { world in
            try await world.enqueue("case-1")
            for lost in 0..<3 {
                let job = try await world.leaseOne(worker: "w\(lost)")
                #expect(job.lostLeases == lost)
                try await world.advance(.seconds(61))
            }
            #expect(try await world.lease().jobs.isEmpty)
            let letter = try #require(try await world.queue.deadLetter("case-1"))
            #expect(letter.reason == "workerLost" && letter.isOpen && letter.attempts == 3)
            #expect(try await world.census().purchases["T-case-1"]?["owner"] == "case-1")
        }
    }

    @Test func `seventeen expired leases come in two calls`() async throws {
        try await withQueue { world in
            let rate = GateRate(requestsPerSecond: 20)
            for number in 0..<17 { try await world.enqueue("case-\(number)") }
            #expect(try await world.lease(slots: 20, rate: rate).jobs.count == 17)
            try await world.advance(.seconds(61))
            #expect(try await world.lease(slots: 0).hasMore)
            #expect(try await world.census().members("leases").count == 1)
            #expect(try await !world.lease(slots: 0).hasMore)
            #expect(try await world.census().members("leases").isEmpty)
        }
    }

    // MARK: Paused, blocked

    @Test func `a paused app gives nothing, not even raw entries`() async throws {
        try await withQueue { world in
            try await world.enqueue("case-1")
            try await world.produce(world.text("case-2"))
            _ = try await world.queue.pause(reason: "unauthorized", act: QueueWorld.agent)
            let lease = try await world.lease()
            #expect(lease.pausedFor == "unauthorized" && lease.jobs.isEmpty && lease.raw.isEmpty)
            #expect(lease.nextMicroseconds == nil)
            _ = try await world.queue.resume(act: QueueWorld.agent)
            #expect(try await world.lease().jobs.map(\.id) == ["case-1"])
        }
    }

    @Test func `a paused app's lost leases are still recovered`() async throws {
        try await withQueue { world in
            _ = try await world.sending("case-1")
            _ = try await world.queue.pause(reason: "unauthorized", act: QueueWorld.agent)
            #expect(try await world.lease().wait == .seconds(60))
            try await world.advance(.seconds(60))
            #expect(try await world.lease().pausedFor != nil)
            #expect(try await world.state("case-1") == "unclear")
        }
    }

    @Test func `a blocked app says until when, and adopts meanwhile`() async throws {
        try await withQueue { world in
            let job = try await world.sending("case-1")
            _ = try await world.queue.block(job, for: .seconds(50), ending: .answered, next: nil, .rateLimited)
            try await world.produce(world.text("case-2"))
            let until = try await world.now + 50_000_000
            let lease = try await world.lease()
            #expect(lease.jobs.isEmpty && lease.raw.count == 1)
            #expect(lease.blockedUntilMicroseconds == until && lease.nextMicroseconds == until)
            try await world.advance(.milliseconds(49_999))
            #expect(try await world.lease().jobs.isEmpty)
            try await world.advance(.milliseconds(1))
            #expect(try await world.lease().jobs.map(\.id) == ["case-1"])
        }
    }

    // MARK: References without a record

    @Test func `a front entry without a record moves nothing, and becomes a letter when it is still missing`()
        async throws
    {
        try await withQueue { world in
            let job = try await world.sending("gone")
            _ = try await world.queue.release(job, why: "late")
            try await world.enqueue("other")
            try await world.send("DEL", RedisWord(world.queue.keys.job("gone")))
            let lease = try await world.lease()
            #expect(lease.missing == "gone" && lease.jobs.isEmpty)
            #expect(try await world.census().members("ready:normal") == ["gone"])
            let next = try await world.lease(absent: ["gone"])
            #expect(next.jobs.map(\.id) == ["other"] && next.missing == nil)
            let letter = try #require(try await world.queue.deadLetters().first)
            #expect(letter.reason == "jobMissing")
            #expect(try await world.queue.discard(letter.id, act: QueueWorld.agent, finding: nil) == .discarded)
        }
    }

    @Test(arguments: ["later", "leases"])
    func `a record that is missing elsewhere becomes a letter too`(set: String) async throws {
        try await withQueue { world in
            let job = try await world.sending("gone")
            if set == "later" {
                _ = try await world.queue.postpone(job, for: .seconds(1), ending: .answered, next: nil, .rejected)
            }
            try await world.send("DEL", RedisWord(world.queue.keys.job("gone")))
            try await world.send("DEL", RedisWord(world.queue.keys.purchase("T-gone")))
            try await world.advance(.seconds(61))
            #expect(try await world.lease().missing == "gone")
            #expect(try await world.census().members(set) == ["gone"])
            #expect(try await world.lease(absent: ["gone"]).missing == nil)
            #expect(try await world.census().members(set).isEmpty)
            #expect(try await world.queue.deadLetters().map(\.reason) == ["jobMissing"])
        }
    }

    @Test func `a stream entry without a record stays pending and hides nobody`() async throws {
        try await withQueue { world in
            try await world.enqueue("gone")
            try await world.enqueue("other")
            try await world.send("DEL", RedisWord(world.queue.keys.job("gone")))
            try await world.send("DEL", RedisWord(world.queue.keys.purchase("T-gone")))
            #expect(try await world.lease().jobs.map(\.id) == ["other"])
            try await world.age(.normal)
            try await world.advance(.seconds(15))
            let raw = try await world.lease().raw
            #expect(raw.map(\.reference) == ["gone"])
            #expect(try await world.queue.adopt([(raw[0], .reference("gone"))]) == [.letter])
        }
    }

    // MARK: Raw entries

    @Test func `raw entries are handed out in runs, without permits, and only once`() async throws {
        try await withQueue { world in
            for number in 0..<7 { try await world.produce("raw \(number)", to: .bulk) }
            let first = try await world.lease(slots: 0, intake: 4)
            #expect(first.raw.count == 4 && first.hasMore)
            let second = try await world.lease(worker: "w2", slots: 0, intake: 4)
            #expect(second.raw.count == 3)
            #expect(Set((first.raw + second.raw).map(\.entryId)).count == 7)
            #expect(try await world.lease(slots: 0, intake: 4).raw.isEmpty)
            #expect(try await world.departures().isEmpty)
            #expect(try await world.census().pending.count == 7)
        }
    }

    @Test func `a thousand malformed entries don't hide the good one behind them`() async throws {
        try await withQueue { world in
            for number in 0..<1000 { try await world.produce("raw \(number)") }
            try await world.enqueue("good")
            var calls = 0
            var good: [LeasedJob] = []
            while good.isEmpty, calls < 40 {
                calls += 1
                let lease = try await world.lease()
                good = lease.jobs
                #expect(lease.raw.count <= 64 + 3)
                #expect(good.isEmpty == lease.hasMore || !good.isEmpty)
                let verdicts = try await world.queue.adopt(
                    lease.raw.map {
                        ($0, .letter(reason: "malformed", code: "", name: "", hint: "", text: "null"))
                    })
                #expect(verdicts.allSatisfy { $0 == .letter })
            }
            #expect(good.map(\.id) == ["good"] && calls <= 18)
        }
    }

    @Test func `raw entries between references are met on the way and cost no permit`() async throws {
        try await withQueue { world in
            try await world.enqueue("one")
            try await world.produce("raw")
            try await world.enqueue("two")
            let lease = try await world.lease()
            #expect(lease.jobs.map(\.id) == ["one", "two"] && lease.raw.count == 1)
            #expect(try await world.departures().count == 2)
        }
    }

    @Test(arguments: ["no slots", "no permits", "blocked", "down", "probing"])
    func `references read with raw entries stand at the front, whatever keeps them from being sent`(hindrance: String)
        async throws
    {
        try await withQueue { world in
            let sent = ["no permits": 5, "probing": 1][hindrance] ?? 0
            for number in 0..<sent { try await world.enqueue("sent-\(number)") }
            #expect(try await world.lease().jobs.count == sent)
            let later = RedisWord(try await world.now + 60_000_000)
            let now = RedisWord(try await world.now)
            let gate = RedisWord(world.queue.keys.gate)
            switch hindrance {
            case "blocked": try await world.send("HSET", gate, "blockedUntil", later)
            case "down": try await world.send("HSET", gate, "probeAt", later, "probeStep", "2000000")
            case "probing": try await world.send("HSET", gate, "probeAt", now, "probeStep", "2000000")
            default: break
            }
            try await world.produce("raw 1")
            try await world.enqueue("one")
            try await world.enqueue("withdrawn")
            _ = try await world.queue.withdraw(["withdrawn"], act: QueueWorld.agent)
            try await world.produce("raw 2")
            try await world.enqueue("two")
            try await world.enqueue("urgent", priority: .urgent)
            let lease = try await world.lease(slots: hindrance == "no slots" ? 0 : 10)
            #expect(lease.jobs.isEmpty && lease.raw.count == 2 && lease.missing == nil && lease.ailment == nil)
            for id in ["one", "two"] { #expect(try await world.place(id) == [.ready("normal")]) }
            #expect(try await world.place("urgent") == [.stream("urgent")], "there was nothing raw before it")
            #expect(try await world.fields("withdrawn")["ghost"] == nil)
            _ = try await world.queue.redrive("withdrawn", act: QueueWorld.agent)
            try await world.send("HDEL", gate, "blockedUntil", "probeAt", "probeStep")
            try await world.advance(.seconds(2))
            #expect(try await world.lease().jobs.map(\.id) == ["urgent", "one", "two", "withdrawn"])
        }
    }

    @Test func `a call that takes no raw entries in meets only what lies before its jobs`() async throws {
        try await withQueue { world in
            for number in 1...3 { try await world.produce("raw \(number)") }
            try await world.enqueue("one")
            #expect(try await world.lease(slots: 0, intake: 0).raw.isEmpty)
            var jobs: [LeasedJob] = []
            var raw = 0
            for _ in 1...4 {
                let lease = try await world.lease(intake: 0)
                jobs += lease.jobs
                raw += lease.raw.count
            }
            #expect(jobs.map(\.id) == ["one"] && raw == 3)
        }
    }

    @Test func `raw entries whose worker died are handed out again after fifteen seconds`() async throws {
        try await withQueue { world in
            try await world.produce(world.text("case-1"))
            let first = try #require(try await world.lease(worker: "dead").raw.first)
            try await world.advance(.seconds(14))
            #expect(try await world.lease(worker: "w2").raw.isEmpty)
            try await world.age(.normal)
            try await world.advance(.seconds(1))
            let again = try await world.lease(worker: "w2").raw
            #expect(again == [first])
            try await world.advance(.seconds(1))
            #expect(try await world.lease(worker: "w3").raw.isEmpty, "it was just handed out")
        }
    }

    @Test func `bytes that are no text come as they went`() async throws {
        try await withQueue { world in
            let bytes: [UInt8] = [0, 255, 13, 10, 0xF0, 0x9F]
            try await world.send(
                "XADD", RedisWord(world.queue.keys.lane(.normal)), "*", RedisWord(bytes), "x", "job", RedisWord(bytes))
            let raw = try #require(try await world.lease().raw.first)
            #expect(raw.fields == [bytes, Array("x".utf8), Array("job".utf8), bytes] && raw.job == bytes)
        }
    }

    @Test func `a withdrawn job's reference is dropped without a permit`() async throws {
        try await withQueue { world in
            try await world.enqueue("case-1")
            _ = try await world.queue.withdraw(["case-1"], act: QueueWorld.agent)
            try await world.enqueue("case-2")
            #expect(try await world.lease().jobs.map(\.id) == ["case-2"])
            #expect(try await world.census().entries.isEmpty)
            #expect(try await world.fields("case-1")["ghost"] == nil)
            #expect(try await world.departures().count == 1)
        }
    }
}

extension QueueWorld {
    /// Makes what is pending in a lane's group look as if it had been read twenty seconds ago.
    func age(_ lane: Priority) async throws {
        let key = RedisWord(queue.keys.lane(lane))
        for item in try await send("XPENDING", key, "fleet", "-", "+", "1000").array ?? [] {
            guard let id = item.array?.first?.string else { continue }
            try await send("XCLAIM", key, "fleet", "fleet", "0", RedisWord(id), "IDLE", "20000", "JUSTID")
        }
    }
}
