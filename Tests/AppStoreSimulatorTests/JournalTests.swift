import AppStoreSimulator
import EventLoop
import Foundation
import TestSupport
import Testing

@Suite struct JournalTests {
    private func lines(of path: String) throws -> [JournalLine] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map {
            try #require(JournalLine(reading: Array($0.utf8)), "\($0)")
        }
    }

    private func arrivals(in path: String) throws -> [JournalEntry] {
        try lines(of: path).compactMap { if case .arrival(let entry) = $0 { entry } else { nil } }
    }

    @Test func `an arrival is in the file before its answer is out, in exact words`() async throws {
        try await withTemporaryFolder { folder in
            let journal = folder["journal.jsonl"]
            try await withSimulator(change: { $0.journalPath = journal }) { world in
                let id = Bodies.newId()
                let body = Bodies.refund(id: id, type: "CUSTOM", amount: 2500)
                for number in 1...20 {
                    _ = await world.call(.refund, "t\(number)", number == 1 ? body : Bodies.refund())
                    #expect(try arrivals(in: journal).map(\.number) == Array(1...number))
                }
                let entry = try #require(try arrivals(in: journal).first)
                #expect(entry.method == "POST")
                #expect(entry.path == "/advancedCommerce/v1/transaction/requestRefund/t1")
                #expect(entry.endpoint == .requestRefund)
                #expect(entry.bundleId == "com.example.reader")
                #expect(entry.environment == .production)
                #expect(entry.transactionId == "t1")
                #expect(entry.referenceId == id)
                #expect(
                    entry.items == [
                        .init(sku: "audiobook.4711", type: "CUSTOM", amount: 2500, reason: "FULFILLMENT_ISSUE")
                    ])
                #expect(entry.token == "ok")
                #expect(entry.status == 200)
                #expect(entry.isProcessed)
                try body.write(toFile: folder["body"], atomically: true, encoding: .utf8)
                #expect(try await sha256(of: folder["body"]) == entry.bodyHash)
                #expect(abs(entry.wallMs - Int64(Date().timeIntervalSince1970 * 1000)) < 600_000)
            }
            let all = try lines(of: journal)
            guard case .start = all.first, case .stop = all.last else {
                Issue.record("a journal begins with its start and ends with its stop")
                return
            }
            let stamps = try arrivals(in: journal).map(\.nanoseconds)
            #expect(stamps == stamps.sorted())
            #expect(Set(stamps).count == 20)
        }
    }

    @Test func `connections are told apart, and one that is kept alive stays the same`() async throws {
        try await withSimulator { world in
            _ = await world.call(.refund, "1", Bodies.refund())
            _ = await world.call(.refund, "2-cut-after", Bodies.refund())
            _ = await world.call(.refund, "3", Bodies.refund())
            let connections = await world.simulator.entries.map(\.connection)
            #expect(connections[0] == connections[1])
            #expect(connections[1] != connections[2])
        }
    }

    @Test func `every concurrent arrival is there exactly once`() async throws {
        try await withTemporaryFolder { folder in
            let journal = folder["journal.jsonl"]
            try await withSimulator(change: { $0.journalPath = journal }) { world in
                await withTaskGroup(of: Int?.self) { group in
                    for number in 0..<100 {
                        group.addTask { await world.call(.refund, "t\(number)", Bodies.refund()).status }
                    }
                    for await status in group { #expect(status == 200) }
                }
            }
            let entries = try arrivals(in: journal)
            #expect(entries.map(\.number) == Array(1...100))
            #expect(Set(entries.map(\.transactionId)).count == 100)
            let audit = try JournalAudit(reading: Array(Data(contentsOf: URL(filePath: journal))))
            #expect(audit.arrivals == 100)
            #expect(audit.processed == 100)
            #expect(audit.rates.first?.verdict != .ok)
        }
    }

    @Test func `a second run appends to the first`() async throws {
        try await withTemporaryFolder { folder in
            let journal = folder["journal.jsonl"]
            for _ in 0..<2 {
                try await withSimulator(change: { $0.journalPath = journal }) { world in
                    _ = await world.call(.refund, "1", Bodies.refund())
                }
            }
            #expect(try arrivals(in: journal).map(\.number) == [1, 1])
        }
    }

    @Test func `a line that a kill tore doesn't tear the next run's first`() async throws {
        try await withTemporaryFolder { folder in
            let journal = folder["journal.jsonl"]
            try #"{"event":"start","version":1,"ms":5}"#.appending("\n").appending(#"{"event":"arr"#)
                .write(toFile: journal, atomically: true, encoding: .utf8)
            try await withSimulator(change: { $0.journalPath = journal }) { world in
                _ = await world.call(.refund, "1", Bodies.refund())
            }
            let audit = try JournalAudit(reading: Array(Data(contentsOf: URL(filePath: journal))))
            #expect(audit.unreadableLines == 1)
            #expect(audit.arrivals == 1)
            let text = try String(contentsOfFile: journal, encoding: .utf8)
            let starts = text.split(separator: "\n").count { $0.hasPrefix(#"{"event":"start""#) }
            #expect(starts == 2)
        }
    }

    @Test func `a loop that was away says so, and for how long`() async throws {
        let loop = EventLoop(name: "stalled")
        defer { loop.stop() }
        try await withSimulator(loop: loop) { world in
            _ = await world.call(.refund, "1", Bodies.refund())
            await LoopDomain(loop).run { _ in _ = usleep(120_000) }
            _ = await world.call(.refund, "2", Bodies.refund())
            #expect(await world.simulator.report().worstStallNs >= 120_000_000)
        }
    }

    @Test func `a journal that can't be opened is told at once`() async throws {
        try await withTemporaryFolder { folder in
            var options = SimulatorOptions()
            options.journalPath = folder["no/such/folder.jsonl"]
            #expect(throws: (any Error).self) { try Simulator(loop: TestLoop.shared, options: options) }
        }
    }

    @Test func `a full disk lets no simulator start`() async throws {
        try #require(FileManager.default.fileExists(atPath: "/dev/full"))
        await #expect(throws: (any Error).self) {
            try await withSimulator(change: { $0.journalPath = "/dev/full" }, { _ in })
        }
    }

    /// By coreutils, not by our own digest.
    private func sha256(of path: String) async throws -> String {
        let text = try await ShortCommand.run("sha256sum", [path]).output
        return String(text.prefix { $0 != " " })
    }
}
