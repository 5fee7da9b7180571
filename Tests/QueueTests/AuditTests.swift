import Queue
import Redis
import Refunds
import Testing

@Suite struct `An audit of the lanes` {
    private func alarms(_ world: QueueWorld) async throws -> [String] {
        let entries = try await world.send("XRANGE", RedisWord(world.queue.keys.alerts), "-", "+").array ?? []
        return entries.compactMap { $0.array?.last?.fields?["kind"]?.string }
    }

    /// Jobs by both ways in, sent, buried, adopted, withdrawn: all that takes entries out of a lane.
    private func work(_ world: QueueWorld) async throws {
        for number in 1...7 { try await world.enqueue("case-\(number)") }
        for number in 8...12 { try await world.produce(world.text("case-\(number)", transaction: "T-\(number)")) }
        _ = try await world.queue.withdraw(["case-7"], act: QueueWorld.agent)
        var raw: [RawEntry] = []
        for _ in 1...5 {
            let lease = try await world.lease()
            raw += lease.raw
            for job in lease.jobs {
                _ = try await world.queue.settle(job, httpStatus: 200, signedTransaction: "t", signedRenewal: nil)
            }
            _ = try await world.queue.adopt(
                lease.raw.map { entry in
                    (entry, .job(try world.job(nil, transaction: "T-\(entry.entryId)"), text: Array("{}".utf8)))
                })
            try await world.advance(.seconds(2))
        }
        #expect(raw.count == 5)
    }

    @Test func `finds nothing where only workers took entries`() async throws {
        try await withQueue { world in
            try await work(world)
            try await world.enqueue("left")
            #expect(try await world.queue.audit(strays: []) == 0)
            #expect(try await world.queue.deletedEntries() == [:])
            #expect(try await alarms(world) == [])
        }
    }

    @Test(arguments: ["XDEL", "XTRIM", "MAXLEN"]) func `counts what others deleted, and tells it once`(
        how: String
    ) async throws {
        try await withQueue { world in
            try await work(world)
            let lane = RedisWord(world.queue.keys.lane(.bulk))
            var ids: [String] = []
            for number in 1...4 {
                ids.append(try await world.produce(world.text("bulk-\(number)", transaction: "B-\(number)"), to: .bulk))
            }
            switch how {
            case "XDEL": try await world.send("XDEL", lane, RedisWord(ids[1]), RedisWord(ids[2]))
            case "XTRIM": try await world.send("XTRIM", lane, "MAXLEN", "2")
            default: try await world.send("XADD", lane, "MAXLEN", "3", "*", "job", "{}")
            }
            #expect(try await world.queue.audit(strays: []) == 1)
            #expect(try await world.queue.audit(strays: []) == 0)
            #expect(try await world.queue.deletedEntries() == [.bulk: 2])
            #expect(try await alarms(world) == ["entriesDeleted"])
            #expect(try await world.ledger(kind: "entriesDeleted").map { $0["entries"] } == ["2"])
            try await world.send("XDEL", lane, RedisWord(ids[3]))
            #expect(try await world.queue.audit(strays: []) == 1)
            #expect(try await world.queue.deletedEntries() == [.bulk: 3])
        }
    }

    @Test func `sees that a worker had read what somebody deleted before it was adopted`() async throws {
        try await withQueue { world in
            let id = try await world.produce(world.text("case-1"))
            let lease = try await world.lease()
            #expect(lease.raw.count == 1)
            try await world.send("XDEL", RedisWord(world.queue.keys.lane(.normal)), RedisWord(id))
            // It is known all the same: the worker held it.
            _ = try await world.queue.adopt(
                lease.raw.map { ($0, .job(try world.job("case-1"), text: Array("{}".utf8))) })
            #expect(try await world.state("case-1") == "queued")
            #expect(try await world.queue.audit(strays: []) == 1)
        }
    }

    @Test func `tells once that a whole lane was deleted`() async throws {
        try await withQueue { world in
            try await work(world)
            #expect(try await world.queue.audit(strays: []) == 0)
            try await world.send("DEL", RedisWord(world.queue.keys.lane(.normal)))
            try await world.enqueue("anew")
            #expect(try await world.queue.audit(strays: []) == 1)
            #expect(try await world.queue.audit(strays: []) == 0)
            #expect(try await alarms(world) == ["laneDeleted"])
        }
    }

    @Test func `tells once that a lane is no stream, and again when it is one another time`() async throws {
        try await withQueue { world in
            let lane = RedisWord(world.queue.keys.lane(.urgent))
            for _ in 1...2 {
                try await world.send("LPUSH", lane, "{}")
                #expect(try await world.queue.audit(strays: []) == 1)
                #expect(try await world.queue.audit(strays: []) == 0)
                try await world.send("DEL", lane)
                #expect(try await world.queue.audit(strays: []) == 0)
            }
            #expect(try await alarms(world) == ["wrongKind", "wrongKind"])
        }
    }

    @Test func `tells of each stray stream once, until it was gone`() async throws {
        try await withQueue { world in
            let stray = StrayStream(name: "kulanz:{audiobook}:jobs:normal", entries: 3, oldest: 1)
            #expect(try await world.queue.audit(strays: [stray]) == 1)
            #expect(try await world.queue.audit(strays: [stray]) == 0)
            // Shown only while it holds something.
            #expect(try await world.queue.strays() == [])
            let id = try await world.send("XADD", RedisWord(stray.name), "1700000000000-1", "job", "{}").string
            #expect(id == "1700000000000-1")
            let seen = StrayStream(name: stray.name, entries: 1, oldest: 1_700_000_000_000)
            #expect(try await world.queue.strays() == [seen])
            #expect(try await world.queue.audit(strays: []) == 0)
            #expect(try await world.queue.strays() == [])
            #expect(try await world.queue.audit(strays: [seen]) == 1)
            try await world.send("DEL", RedisWord(stray.name))
        }
    }
}
