import Queue
import Redis
import Refunds
import Testing

/// What jobs claim in their purchases. Swift says it of a job that enters; of a stored one the scripts read it in its body.
@Suite struct ClaimTests {
    /// What JSON, Lua or a Redis command could take for something else.
    private static let pieces = [
        "a", "Z", "9", " ", "  ", ".", "\"", "\\", "\\u0041", "/", "'", "{", "}", "[", ",", ":", "é", "e\u{301}", "ß",
        "日本", "\u{FFFD}", "\u{2028}", "\u{FEFF}", "😀", "👩‍👩‍👧", "\u{10FFFF}", "claim:", "*", "s:", "null", "%", "-",
    ]

    /// As many as there are names for, in JSON and without their quotes.
    private func skus(_ random: inout SeededRandom) -> [String] {
        var all: Set<String> = []
        for _ in 0..<random.number(1...6) {
            var sku = ""
            for _ in 0..<random.number(1...8) { sku += random.pick(Self.pieces) ?? "" }
            all.insert(sku)
        }
        return all.sorted().map { String(JSON.string($0).canonicalText.dropFirst().dropLast()) }
    }

    /// The names of the fields, byte by byte.
    private func claims(_ world: QueueWorld, _ transaction: String) async throws -> Set<[UInt8]> {
        let keys = try await world.send("HKEYS", RedisWord(world.queue.keys.purchase(transaction))).array ?? []
        return Set(keys.compactMap(\.bytes).filter { $0.starts(with: "claim:".utf8) })
    }

    /// Is sent and rejected; the books say what was asked for.
    private func die(_ world: QueueWorld, _ job: Job) async throws {
        let before = try await world.ledger(job.id, kind: "request").count
        let leased = try await world.leaseAfter(.seconds(2))
        #expect(leased.id == job.id)
        let lines = try await world.ledger(job.id, kind: "request").dropFirst(before)
        let items = job.request.items
        #expect(lines.compactMap { $0["SKU"].map { Array($0.utf8) } } == items.map { Array($0.sku.utf8) })
        #expect(lines.count == max(1, items.count))
        _ = try await world.queue.bury(leased, ending: .answered, reason: "rejected", hint: "", .rejected)
    }

    @Test(arguments: UInt64(1)...8)
    func `a letter lets go of all that was claimed, and its redrive claims just that again`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        try await withQueue { world in
            for number in 1...6 {
                let (id, transaction) = ("case-\(number)", "T\(number)")
                let operation: Refunds.Operation = random.weighted([(8, .refund), (1, .revoke), (1, .cancel)])
                let first = try world.job(id, transaction: transaction, skus: skus(&random), operation: operation)
                if random.chance(50) {
                    #expect(try await world.queue.enqueue(first).isEnqueued)
                } else {
                    try await world.produce(first.json.text)
                    let raw = try #require(try await world.lease(slots: 0).raw.first)
                    let judged = try Job.validate(raw.job ?? [], app: world.rules, from: .lane(.normal)).get()
                    #expect(judged == first)
                    #expect(try await world.queue.adopt([(raw, .job(judged, text: raw.job ?? []))]) == [.adopted])
                }
                let claimed = try await claims(world, transaction)
                #expect(claimed.count == max(1, first.request.items.count))
                try await die(world, first)
                #expect(try await claims(world, transaction).isEmpty)
                _ = try await world.queue.redrive(id, act: QueueWorld.agent)
                #expect(try await claims(world, transaction) == claimed)
                try await die(world, first)

                let mended = try world.job(id, transaction: transaction, skus: skus(&random), operation: operation)
                _ = try await world.queue.redrive(id, act: QueueWorld.agent, mended: mended)
                #expect(try await claims(world, transaction).count == max(1, mended.request.items.count))
                try await die(world, mended)
                #expect(try await claims(world, transaction).isEmpty)
            }
        }
    }

    @Test func `a claim of one batch stands in the way of its later entries, unless they may repeat it`() async throws {
        try await withQueue { world in
            let texts = [
                world.text("a", transaction: "T", skus: ["x", "y"]), world.text("b", transaction: "T", skus: ["y"]),
                world.text("c", transaction: "T", skus: ["y", "z"], #","allowRepeat":true"#),
                world.text("d", transaction: "T", skus: ["z"]), world.text("e", transaction: "T", operation: .revoke),
                world.text("f", transaction: "T", operation: .cancel),
            ]
            for text in texts { try await world.produce(text) }
            let raw = try await world.lease(slots: 0).raw
            let verdicts = try await world.queue.adopt(
                raw.map { entry in
                    let text = entry.job ?? []
                    return (
                        entry, .job(try Job.validate(text, app: world.rules, from: .lane(.normal)).get(), text: text)
                    )
                })
            #expect(verdicts == [.adopted, .letter, .adopted, .letter, .letter, .adopted])
            let purchase = try #require(try await world.census().purchases["T"])
            #expect(purchase["claim:s:x"] == "a" && purchase["claim:s:y"] == "a c" && purchase["claim:s:z"] == "c")
            #expect(purchase["claim:cancel"] == "f" && purchase["claim:*"] == nil)
        }
    }
}
