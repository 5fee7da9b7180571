import Queue
import Redis
import Refunds
import Testing

/// What a move leaves behind that meets an error in its middle: somebody has overwritten a key, or a Cluster slot on the
/// move has taken it along.
@Suite struct SpoiltTests {
    private struct NotRedriven: Error {}

    /// Puts another thing in a key's place.
    private func spoil(_ key: String, of world: QueueWorld) async throws {
        if try await world.send("EXISTS", RedisWord(key)) == .integer(1) {
            try await world.send("RENAME", RedisWord(key), "aside")
        }
        try await world.send("SET", RedisWord(key), "x")
    }

    private func mend(_ key: String, of world: QueueWorld) async throws {
        try await world.send("DEL", RedisWord(key))
        if try await world.send("EXISTS", "aside") == .integer(1) {
            try await world.send("RENAME", "aside", RedisWord(key))
        }
    }

    private func settle(_ world: QueueWorld, _ job: LeasedJob) async throws -> Settlement {
        try await world.queue.settle(job, httpStatus: 200, signedTransaction: "s", signedRenewal: nil)
    }

    @Test(arguments: ["purchase", "original", "line"], [Refunds.Operation.refund, .cancel])
    func `a 200 that can't be recorded is recorded whole once it can`(spoilt: String, operation: Refunds.Operation)
        async throws
    {
        try await withQueue { world in
            let keys = world.queue.keys
            let original = #","originalTransactionId":"O""#
            let job = try await world.sending("first", transaction: "T", skus: ["a"], operation: operation, original)
            try await world.enqueue("next", transaction: "O", skus: ["b"])
            try await world.advance(.seconds(2))
            #expect(try await world.lease(slots: 1).jobs.isEmpty)
            #expect(try await world.place("next") == [.line("O")])
            let key = spoilt == "line" ? keys.base + ":line:O" : keys.purchase(spoilt == "purchase" ? "T" : "O")
            try await spoil(key, of: world)
            for _ in 0..<2 { await #expect(throws: QueueError.self) { _ = try await settle(world, job) } }
            #expect(try await world.ledger("first", kind: "answer").isEmpty)
            try await mend(key, of: world)
            #expect(try await settle(world, job) == (operation == .cancel ? .done : .accepted))
            #expect(try await world.ledger("first", kind: "answer").count == 1)
            #expect(try await world.lease().jobs.map(\.id) == ["next"])
            guard operation == .cancel else { return }
            #expect(try await world.send("HEXISTS", RedisWord(keys.purchase("T")), "claim:cancel") == .integer(0))
            let life = try await world.send("PTTL", RedisWord(keys.job("first"))).integer ?? -1
            #expect(life > 0)
        }
    }

    @Test(arguments: ["postpone", "hold", "bury", "release", "block", "pause"], ["T", "O"])
    func `a move of a sent job that can't let go of its line moves nothing, and all once it can`(
        move: String, spoilt: String
    ) async throws {
        try await withQueue { world in
            let queue = world.queue
            let job = try await world.sending(
                "first", transaction: "T", skus: ["a"], #","originalTransactionId":"O""#)
            try await world.enqueue("next", transaction: spoilt, skus: ["b"])
            try await world.advance(.seconds(2))
            #expect(try await world.lease(slots: 1).jobs.isEmpty)
            func make() async throws -> Bool {
                switch move {
                case "postpone":
                    try await queue.postpone(job, for: .seconds(99), ending: .answered, next: nil, .rejected)
                        == .to(.waiting)
                case "hold":
                    try await queue.hold(
                        job, as: .held, ending: .answered, lookingAgainAfter: .seconds(9), question: "q", .rejected)
                        == .to(.held)
                case "bury":
                    try await queue.bury(job, ending: .answered, reason: "rejected", hint: "", .rejected) == .to(.dead)
                case "release": try await queue.release(job, why: "late") == .to(.queued)
                case "block":
                    try await queue.block(job, for: .zero, ending: .answered, next: nil, .rateLimited) == .to(.queued)
                default:
                    try await queue.pause(
                        reason: "r", act: QueueWorld.agent, because: job, ending: .answered, next: nil, .refused
                    ).isNew
                }
            }
            try await spoil(queue.keys.purchase(spoilt), of: world)
            let before = try await world.fields("first")
            for _ in 0..<2 { await #expect(throws: QueueError.self) { _ = try await make() } }
            #expect(try await world.fields("first") == before)
            #expect(try await world.score("first", in: queue.keys.leases) != nil)
            try await mend(queue.keys.purchase(spoilt), of: world)
            #expect(try await make() || move == "pause", "the app is paused by then")
            #expect(try await world.place("next") == [.ready("normal")])
            #expect(try await world.state("first") != "sending")
        }
    }

    @Test(arguments: ["withdraw", "discard"])
    func `what a person can't take off its purchase's line stays where it was, and goes once it can`(move: String)
        async throws
    {
        try await withQueue { world in
            let (queue, purchase) = (world.queue, world.queue.keys.purchase("T"))
            if move == "discard" {
                let job = try await world.sending("first", transaction: "T", skus: ["a"])
                _ = try await queue.bury(job, ending: .unclear, reason: "outcomeUnknown", hint: "", .timedOut)
            } else {
                try await world.enqueue("first", transaction: "T", skus: ["a"])
            }
            try await world.enqueue("next", transaction: "T", skus: ["b"])
            func make() async throws -> Bool {
                move == "discard"
                    ? try await queue.discard("first", act: QueueWorld.agent, finding: .notRefunded) == .discarded
                    : try await queue.withdraw(["first"], act: QueueWorld.agent).map(\.verdict) == [.withdrawn]
            }
            try await world.advance(.seconds(2))
            if move == "discard" { #expect(try await world.lease().jobs.isEmpty) }
            try await spoil(purchase, of: world)
            let before = try await world.snapshot()
            for _ in 0..<2 { await #expect(throws: QueueError.self) { _ = try await make() } }
            #expect(try await world.snapshot() == before)
            try await mend(purchase, of: world)
            #expect(try await make())
            #expect(try await world.census().purchases["T"]?["claim:s:a"] == nil)
            try await world.advance(.seconds(2))
            #expect(try await world.lease().jobs.map(\.id) == ["next"])
        }
    }

    @Test(arguments: [false, true])
    func `a job that can't be put into its lane hasn't entered it, and enters it once it can`(isRedriven: Bool)
        async throws
    {
        try await withQueue { world in
            let lane = world.queue.keys.lane(.normal)
            if isRedriven {
                let job = try await world.sending("case-1")
                _ = try await world.queue.bury(job, ending: .answered, reason: "rejected", hint: "", .rejected)
            }
            func enter() async throws {
                if isRedriven {
                    let redrive = try await world.queue.redrive("case-1", act: QueueWorld.agent)
                    guard case .queued = redrive else { throw NotRedriven() }
                } else {
                    #expect(try await world.enqueue("case-1").isEnqueued)
                }
            }
            try await spoil(lane, of: world)
            let before = try await world.snapshot()
            for _ in 0..<2 { await #expect(throws: QueueError.self) { try await enter() } }
            #expect(try await world.snapshot() == before)
            try await mend(lane, of: world)
            try await enter()
            try await world.advance(.seconds(2))
            #expect(try await world.lease().jobs.map(\.id) == ["case-1"])
        }
    }

    @Test(arguments: ["adopt", "release", "block", "pause", "settle", "withdraw"])
    func `who is to go to the front of a lane that can't be written stays, and goes once it can`(move: String)
        async throws
    {
        try await withQueue { world in
            let queue = world.queue
            let job = try await world.sending("first", transaction: "T", skus: ["a"])
            let front = queue.keys.base + ":ready:normal"
            var raw: [RawEntry] = []
            if move == "adopt" {
                try await world.produce(world.text("next", transaction: "T", skus: ["b"]))
                raw = try await world.lease(slots: 0).raw
            } else if ["settle", "withdraw"].contains(move) {
                try await world.enqueue("next", transaction: "T", skus: ["b"])
                try await world.advance(.seconds(2))
                #expect(try await world.lease(slots: 1).jobs.isEmpty)
            }
            func make() async throws {
                switch move {
                case "adopt":
                    _ = try await queue.adopt(
                        raw.map { entry in
                            let text = entry.job ?? []
                            return (
                                entry,
                                .job(
                                    try Job.validate(text, app: world.rules, from: .lane(.normal)).get(), text: text)
                            )
                        })
                case "release": _ = try await queue.release(job, why: "late")
                case "block":
                    _ = try await queue.block(job, for: .zero, ending: .answered, next: nil, .rateLimited)
                case "pause":
                    _ = try await queue.pause(
                        reason: "r", act: QueueWorld.agent, because: job, ending: .answered, next: nil, .refused)
                    _ = try await queue.resume(act: QueueWorld.agent)
                case "withdraw": _ = try await queue.withdraw(["next"], act: QueueWorld.agent)
                default: _ = try await settle(world, job)
                }
            }
            try await spoil(front, of: world)
            for _ in 0..<2 { await #expect(throws: QueueError.self) { try await make() } }
            try await mend(front, of: world)
            try await make()
            try await world.advance(.seconds(2))
            if move == "withdraw" {
                #expect(try await world.state("next") == "dead")
            } else {
                let isOver = move == "settle"
                #expect(try await world.lease().jobs.map(\.id) == (move == "adopt" ? [] : [isOver ? "next" : "first"]))
            }
        }
    }

    @Test(arguments: ["", #","allowRepeat":true"#, #","originalTransactionId":"O""#])
    func `an entry that can't be adopted keeps back no other, and is adopted once it can`(more: String) async throws {
        try await withQueue { world in
            for id in ["before", "spoilt", "after"] {
                try await world.produce(world.text(id, transaction: "T-" + id, id == "spoilt" ? more : ""))
            }
            func adopt(_ raw: [RawEntry]) async throws -> [Adoption] {
                try await world.queue.adopt(
                    raw.map { entry in
                        let text = try #require(entry.job)
                        return (
                            entry,
                            .job(try Job.validate(text, app: world.rules, from: .lane(.normal)).get(), text: text)
                        )
                    })
            }
            let raw = try await world.lease(slots: 0).raw
            let purchase = world.queue.keys.purchase(more.contains("original") ? "O" : "T-spoilt")
            try await spoil(purchase, of: world)
            await #expect(throws: QueueError.self) { _ = try await adopt(raw) }
            #expect(try await world.lease().jobs.map(\.id).sorted() == ["after", "before"])
            #expect(try await world.queue.show("spoilt") == nil)
            try await mend(purchase, of: world)
            try await world.age(.normal)
            try await world.advance(.seconds(2))
            #expect(try await adopt(world.lease(slots: 0).raw) == [.adopted])
            #expect(try await world.lease().jobs.map(\.id) == ["spoilt"])
            #expect(try await world.census().entries.isEmpty)
        }
    }

    @Test func `a job that can't be booked as it is sent isn't sent, and goes once it can`() async throws {
        try await withQueue { world in
            let ledger = world.queue.keys.ledger
            _ = try await world.lease()
            try await world.enqueue("case-1")
            try await world.advance(.seconds(2))
            try await spoil(ledger, of: world)
            let lease = try await world.lease()
            #expect(lease.jobs.isEmpty)
            #expect(lease.ailment?.hasPrefix("case-1: WRONGTYPE") == true)
            #expect(try await world.place("case-1") == [.lease])
            try await mend(ledger, of: world)
            var sent: [String] = []
            for _ in 0..<4 where sent.isEmpty {
                try await world.advance(.seconds(61))
                sent = try await world.lease().jobs.map(\.id)
            }
            #expect(sent == ["case-1"])
        }
    }

    @Test(arguments: ["purchase", "record", "reference", "body", "digest"], [false, true])
    func `a job that can't be sent takes none with it that was leased before it`(spoilt: String, isAtFront: Bool)
        async throws
    {
        try await withQueue { world in
            let keys = world.queue.keys
            for id in ["first", "second", "spoilt", "third"] { try await world.enqueue(id) }
            if isAtFront {
                for job in try await world.lease().jobs { _ = try await world.queue.release(job, why: "late") }
            }
            let reference = try await world.fields("spoilt")["ref"] ?? ""
            let key =
                switch spoilt {
                case "purchase": keys.purchase("T-spoilt")
                case "reference": keys.base + ":refs:" + reference.prefix(3)
                default: keys.job("spoilt")
                }
            if ["body", "digest"].contains(spoilt) {
                try await world.send("COPY", RedisWord(key), "aside")
                try await world.send("HSET", RedisWord(key), RedisWord(spoilt), "{")
            } else {
                try await spoil(key, of: world)
            }
            let lease = try await world.lease()
            #expect(lease.jobs.map(\.id) == ["first", "second", "third"])
            #expect(lease.ailment?.hasPrefix("spoilt: ") == true)
            try await world.advance(.seconds(29))
            #expect(try await world.lease().ailment == nil, "it is left alone for a while")
            try await world.advance(.seconds(2))
            #expect(try await world.lease().ailment?.hasPrefix("spoilt: ") == true)
            try await mend(key, of: world)
            try await world.advance(.seconds(31))
            for job in lease.jobs {
                #expect(try await settle(world, job) == .accepted)
            }
            let spoiltJob = try #require(try await world.lease().jobs.first)
            #expect(spoiltJob.id == "spoilt" && !spoiltJob.isOpen && spoiltJob.attempts == 1)
        }
    }
}
