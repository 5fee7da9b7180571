import Testing

@testable import AppStoreSimulator

/// Crafted journals, and what they prove.
@Suite struct JournalAuditTests {
    private static let ms: Int64 = 1_000_000

    /// Arrivals of one app at these ms.
    private static func lines(at stamps: [Int64], environment: AppEnvironment = .production) -> [JournalLine] {
        [.start(wallMs: 1_796_036_400_000)]
            + stamps.enumerated().map { index, stamp in
                .arrival(entry(index + 1, at: stamp, environment: environment))
            }
    }

    private static func entry(
        _ number: Int, at stamp: Int64 = 0, environment: AppEnvironment = .production, transactionId: String = "4711",
        id: String = "", hash: String = "h", items: [JournalEntry.Item] = [], isProcessed: Bool = false
    ) -> JournalEntry {
        let arrival = Arrival(
            nanoseconds: stamp * ms, wallMs: 1_796_036_400_000 + stamp, path: "/", authorization: nil, body: [])
        var entry = JournalEntry(number: number, of: arrival)
        entry.bundleId = "com.example.reader"
        entry.environment = environment
        entry.transactionId = transactionId
        entry.referenceId = id.isEmpty ? "id-\(number)" : id
        entry.bodyHash = hash
        entry.items = items
        entry.isProcessed = isProcessed
        entry.status = 200
        return entry
    }

    private static func stall(from: Int64, to: Int64) -> JournalLine {
        .stall(.init(endNs: to * ms, lengthNs: (to - from) * ms))
    }

    static let rates: [(name: String, lines: [JournalLine], verdict: JournalAudit.Verdict, most: Int)] = [
        ("five in a second", lines(at: [0, 1, 2, 3, 4]), .ok, 5),
        ("five and one a second later", lines(at: [0, 1, 2, 3, 4, 1000]), .ok, 5),
        ("six in a second", lines(at: [0, 200, 400, 600, 800, 999]), .breach, 6),
        ("six across a full second's border", lines(at: [900, 920, 940, 960, 980, 1100]), .breach, 6),
        ("six in the order of writing, not of stamps", lines(at: [999, 0, 800, 200, 600, 400]), .breach, 6),
        (
            "six, but the first was stamped after a stall that covers the excess",
            lines(at: [100, 110, 120, 130, 140, 1050]) + [stall(from: 40, to: 99)], .inconclusive, 6
        ),
        (
            "six, and a stall too short to explain them",
            lines(at: [100, 110, 120, 130, 140, 1050]) + [stall(from: 60, to: 99)], .breach, 6
        ),
        (
            "six, and a long stall somewhere else",
            lines(at: [100, 110, 120, 130, 140, 1050]) + [stall(from: 400, to: 900)], .breach, 6
        ),
        (
            "six during stalls that follow each other closely",
            lines(at: [100, 110, 120, 130, 140, 1050]) + [stall(from: 40, to: 70), stall(from: 75, to: 99)],
            .inconclusive, 6
        ),
        ("two in two seconds of the sandbox", lines(at: [0, 1999], environment: .sandbox), .breach, 1),
        ("two that are two seconds apart", lines(at: [0, 2000], environment: .sandbox), .ok, 1),
    ]

    @Test(arguments: 0..<rates.count)
    func `a rate is kept, broken or unsure`(index: Int) throws {
        let (name, lines, verdict, most) = Self.rates[index]
        let rate = try #require(JournalAudit(lines).rates.first)
        #expect(rate.verdict == verdict, "\(name)")
        #expect(rate.mostInASecond == most, "\(name)")
        #expect(JournalAudit(lines).verdict == verdict, "\(name)")
    }

    @Test func `five beside a stall are in order, but not proven`() throws {
        let lines = Self.lines(at: [0, 1, 2, 3, 4, 1010]) + [Self.stall(from: 950, to: 1009)]
        let rate = try #require(JournalAudit(lines).rates.first)
        #expect(rate.verdict == .ok)
        #expect(rate.judgement.unproven == 1)
    }

    @Test func `an app may have a rate of its own`() throws {
        let lines = Self.lines(at: [0, 1, 2])
        let strict = JournalAudit(lines, requestsPerSecond: ["com.example.reader": 2])
        #expect(strict.verdict == .breach)
        #expect(strict.rates.first?.allowed == 2)
    }

    @Test func `a restart of the simulator doesn't start the second anew`() throws {
        let early = Self.lines(at: [0, 10, 20])
        let late: [JournalLine] =
            [.start(wallMs: 1_796_036_400_500)] + [0, 10, 20].map { .arrival(Self.entry(1, at: $0)) }
        let audit = JournalAudit(early + late)
        #expect(audit.rates.first?.mostInASecond == 6)
        #expect(audit.verdict == .breach)
    }

    @Test func `a refund that was taken twice is named with the ids and bodies that took it`() throws {
        let book = JournalEntry.Item(sku: "book", type: "CUSTOM", amount: 1000, reason: "OTHER")
        let other = JournalEntry.Item(sku: "other", type: "FULL", reason: "OTHER")
        let declined = JournalEntry.Item(sku: "declined", type: "FULL", reason: "SIMULATE_REFUND_DECLINE")
        let lines = [
            Self.entry(1, id: "a", hash: "1", items: [book, other, declined], isProcessed: true),
            Self.entry(2, id: "a", hash: "1", items: [book, other, declined], isProcessed: false),
            Self.entry(3, id: "b", hash: "2", items: [book, declined], isProcessed: true),
            Self.entry(4, transactionId: "4712", id: "c", hash: "3", items: [book], isProcessed: true),
            Self.entry(5, transactionId: "4713", id: "d", hash: "4", items: [book], isProcessed: true),
            Self.entry(6, transactionId: "4713", id: "d", hash: "5", items: [book], isProcessed: true),
        ].map(JournalLine.arrival)
        let audit = JournalAudit(lines)
        #expect(audit.refunds.count == 4)
        #expect(audit.refundsTakenTwice.map(\.transactionId) == ["4711", "4713"])
        let first = try #require(audit.refundsTakenTwice.first)
        #expect(first.takings.map(\.referenceId) == ["a", "b"])
        #expect(first.takings.map(\.bodyHash) == ["1", "2"])
        #expect(first.takings.map(\.number) == [1, 3])
        #expect(first.isTwiceUnderSeveralIds)
        #expect(!first.isTwiceUnderOneId)
        #expect(audit.requestsTakenTwiceUnderOneId == 1)
        #expect(audit.repeats == 2)
        #expect(audit.repeatsWithOtherBytes == 1)
        #expect(
            audit.purchasesWithSeveralIds == [
                .init(bundleId: "com.example.reader", transactionId: "4711", referenceIds: ["a", "b"])
            ])
        #expect(audit.text.contains("com.example.reader 4711 book: 2 times under 2 id(s)"))
    }

    @Test func `a torn last line costs that line only, and everything else survives being written and read`() throws {
        var full = Self.entry(1, id: "A", items: [.init(sku: "ö\"\n", type: "CUSTOM", amount: 9_007_199_254_740_993)])
        full.unknownFields = ["x"]
        full.token = "expired"
        full.ending = .cut
        full.fault = "cut-after"
        full.rule = "r"
        full.latencyMs = 7
        full.lostStatus = 400
        full.lostCode = 4_000_123
        full.isRepeat = true
        full.hasSameBytes = false
        full.endpoint = .revoke
        full.code = 4_000_123
        let lines: [JournalLine] = [
            .start(wallMs: 5), .arrival(full), Self.stall(from: 1, to: 30), .stop(.init(endNs: 30, lengthNs: 29)),
        ]
        for line in lines { #expect(JournalLine(reading: line.json.bytes) == line) }

        let file = lines.map { $0.json.text + "\n" }.joined() + #"{"event":"arrival","n":2,"#
        let audit = JournalAudit(reading: Array(file.utf8))
        #expect(audit.unreadableLines == 1)
        #expect(audit.arrivals == 1)
        #expect(audit.worstStallNs == 29 * Self.ms)
        #expect(audit.json.text == JournalAudit(reading: Array(file.utf8)).json.text)
    }

    @Test func `endings, faults and refused tokens are counted`() {
        var cut = Self.entry(1)
        (cut.ending, cut.fault, cut.status) = (.cut, "cut-after", nil)
        var refused = Self.entry(2)
        (refused.token, refused.status) = ("expired", 401)
        var coded = Self.entry(3)
        (coded.status, coded.code) = (403, 4_030_020)
        let audit = JournalAudit([cut, refused, coded, Self.entry(4)].map(JournalLine.arrival))
        #expect(audit.endings == ["cut": 1, "401": 1, "403 4030020": 1, "200": 1])
        #expect(audit.faults == ["cut-after": 1])
        #expect(audit.refusedTokens == ["expired": 1])
    }
}
