import Crypto
import Foundation
import TestSupport
import Testing

@testable import AppStoreSimulator

/// The simulator's page promises what the simulator does.
@Suite struct DocumentationTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../docs/simulator.md").standardized

    private func text() throws -> String { try String(contentsOf: Self.page, encoding: .utf8) }

    /// The blocks of one language, without their fences.
    private func blocks(_ language: String) throws -> [String] {
        try text().components(separatedBy: "```\(language)\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
    }

    @Test func `every scenario on the page can be read`() async throws {
        try await withTemporaryFolder { folder in
            try TestApp.key.pemPKCS8.write(
                toFile: folder["AuthKey_ABC123DEFG.p8"], atomically: true, encoding: .utf8)
            let blocks = try blocks("json5")
            #expect(blocks.count == 2)
            for block in blocks {
                let whole = block.hasPrefix("{") ? block : "{ \(block) }"
                let scenario = try Scenario(json5: Array(whole.utf8), folder: folder.path)
                #expect(!scenario.rules.isEmpty)
            }
        }
    }

    @Test func `the page names every key of a scenario, every field of an arrival, every reason of a refused token`()
        throws
    {
        let page = try text()
        let keys =
            Scenario.Keys.allCases.map(\.rawValue) + SimulatedApp.Keys.allCases.map(\.rawValue)
            + SimulatedTransaction.Keys.allCases.map(\.rawValue) + Rule.Keys.allCases.map(\.rawValue)
            + Rule.Conditions.allCases.map(\.rawValue) + Rule.Arrivals.allCases.map(\.rawValue)
            + Fault.Keys.allCases.map(\.rawValue) + Limit.Keys.allCases.map(\.rawValue)
        for key in keys { #expect(page.contains(key), "\(key)") }
        for failure in TokenCheck.Failure.allCases { #expect(page.contains("`\(failure.rawValue)`"), "\(failure)") }

        var entry = JournalEntry(
            number: 1, of: Arrival(nanoseconds: 1, wallMs: 1, path: "/", authorization: nil, body: []))
        (entry.endpoint, entry.bundleId, entry.environment, entry.transactionId) = (.cancel, "b", .sandbox, "t")
        (entry.referenceId, entry.bodyHash, entry.items, entry.unknownFields) = ("r", "h", [.init(sku: "s")], ["u"])
        (entry.token, entry.status, entry.code, entry.fault, entry.rule) = ("ok", 1, 1, "f", "r")
        (entry.latencyMs, entry.lostStatus, entry.lostCode, entry.hasSameBytes) = (1, 1, 1, true)
        let fields = entry.json.members ?? []
        #expect(fields.count == 27)
        for field in fields { #expect(page.contains("`\(field.name)`"), "\(field.name)") }
    }

    @Test func `the words of the page's table are words, and its numbers those of the digits`() throws {
        let table = try #require(try text().components(separatedBy: "| word | what the client sees").last)
            .components(separatedBy: "\n\n")[0]
        let words = table.split(separator: "\n").flatMap { row in
            (row.split(separator: "|").first ?? "").split(separator: "`").filter { !$0.contains(" ") }.map(String.init)
        }.filter { !$0.hasPrefix("-") }
        #expect(words.count >= 12)
        for word in words { #expect(Fault(word: word) != nil, "\(word)") }
        for (number, word) in Convention.numbered {
            #expect(try text().contains("`\(String(repeating: "0", count: 6))\(number)` \(word)"), "\(word)")
        }
    }
}
