import Foundation
import Lifecycle
import Queue
import Redis
import Refunds
import TestSupport
import Testing

/// Dead letters as files: for finance, and to be mended.
@Suite struct DeadExportTests {
    private static let token = "9b2b7c0c-7a10-4d77-9f3e-2c1d5a7b8e11"

    /// `a` was withdrawn, `b` may have arrived, one entry was no job and one not even text.
    private func withLetters(_ body: (ProgramWorld) async throws -> Void) async throws {
        try await withProgram { world in
            let tokens = #""request":{"requestInfo":{"appAccountToken":"\#(Self.token)"},"#
            let a = TestJob(id: "a", transaction: "-4711", note: #"=1+1, \"he said\""#).json
                .replacing(#""request":{"#, with: tokens)
            try a.write(toFile: world.folder["a.jsonl"], atomically: true, encoding: .utf8)
            #expect(try await world.line("kulanz enqueue a.jsonl && kulanz jobs withdraw a").exit == .code(0))
            let b = TestJob(id: "b", transaction: "2000000000000002-418").json
            let c = TestJob(id: "c", transaction: "2000000000000003").json
                .replacing(#""app":"audiobooks","#, with: "").replacing(#""request":{"#, with: tokens)
                .replacing(#""CUSTOM""#, with: #""CUSTOMS""#)
            for text in [b, c, "no json"] {
                _ = try await world.client.send(
                    ["XADD", "kulanz:{audiobooks}:jobs:normal", "*", "job", RedisWord(text)])
            }
            #expect(try await world.workUntilIdle() == .code(0))
            #expect(try await world.queue().overview().dead == 4)
            try await body(world)
        }
    }

    @Test func `csv opens in a spreadsheet, runs nothing there and names no customer`() async throws {
        try await withLetters { world in
            let run = try await world.line("kulanz dead export")
            #expect(run.exit == .code(0))
            #expect(run.errors == [])
            let rows = Self.rows(run.output.joined(separator: "\n"))
            #expect(
                rows[0] == [
                    "id", "app", "reason", "code", "name", "at", "attempts", "open", "transactionId", "hint", "job",
                ])
            #expect(rows.allSatisfy { $0.count == 11 }, "\(rows)")
            #expect(rows.dropFirst().map { $0[2] }.sorted() == ["invalid", "invalid", "rejected", "withdrawn"])
            let a = try #require(rows.first { $0[0] == "a" })
            #expect(a[8] == "'-4711")
            #expect(a[7] == "no")
            let job = try #require(JSONSerialization.jsonObject(with: Data(a[10].utf8)) as? [String: Any])
            #expect(job["note"] as? String == #"=1+1, "he said""#)
            #expect(rows.first { $0[0] == "b" }?[7] == "yes")
            #expect(rows.joined().allSatisfy { cell in !"=+-@\t\r".contains(cell.first ?? " ") })
            #expect(a[10].contains("<redacted>"))
            #expect(!run.text.contains(Self.token))
            let chosen = try await world.line("kulanz dead export --reason withdrawn --app audiobooks --since 1h")
            #expect(chosen.output.count == 2)
        }
    }

    @Test func `json says what dead list says`() async throws {
        try await withLetters { world in
            let run = try await world.line("kulanz dead export --format json")
            #expect(run.output == (try await world.line("kulanz dead list --json")).output)
            #expect(run.output.count == 4)
            #expect(!run.text.contains(Self.token))
        }
    }

    @Test func `jobs are whole, for their owner alone, and can be handed in again`() async throws {
        try await withLetters { world in
            let run = try await world.line("kulanz dead export --format jobs --to mend.jsonl")
            #expect(run.exit == .code(0))
            #expect(run.output == [])
            #expect(run.errors.count == 2)
            let raw = try #require(
                try await world.queue().deadLetters().first { $0.job.contains("\"raw\"") || $0.job == "no json" })
            #expect(run.errors[0].hasPrefix("2 left out, "))
            #expect(Set(run.errors[0].split(separator: " ").suffix(2).map(String.init)) == ["b", raw.id])
            #expect(run.errors[1] == "2 letters in mend.jsonl")
            let file = world.folder["mend.jsonl"]
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let text = try String(contentsOfFile: file, encoding: .utf8)
            #expect(text.components(separatedBy: Self.token).count == 3, "both keep the customer's token")
            #expect(text.split(separator: "\n").allSatisfy { $0.contains(#""app":"audiobooks""#) })

            let again = try await world.line("kulanz dead export --format jobs --to mend.jsonl")
            #expect(again.exit == .code(65))
            #expect(again.errors.joined().contains("mend.jsonl"))
            #expect(try String(contentsOfFile: file, encoding: .utf8) == text, "what was there is kept")

            // As it is, the one is known and the other still no refund.
            #expect(try await world.line("kulanz enqueue mend.jsonl").exit == .code(65))
            let entered = try await world.line(
                #"sed -e 's/"id":"a"/"id":"a.2"/' -e 's/CUSTOMS/CUSTOM/' mend.jsonl | kulanz enqueue - --json"#)
            #expect(entered.exit == .code(0), "\(entered.text)")
            #expect(try Set(entered.objects.map { $0["id"] as? String }) == ["a.2", "c"])
            #expect(try entered.objects.allSatisfy { $0["duplicate"] as? Bool == false })
            #expect(try await world.workUntilIdle() == .code(0))
            for id in ["a.2", "c"] { #expect(try await world.queue().show(id)?.state == .accepted) }
        }
    }

    @Test func `without Redis nothing is left behind`() async throws {
        try await withLonelyCommands { world in
            let run = try await world.run("dead", "export", "--to", "dead.csv")
            #expect(run.exit == .code(69))
            #expect(!FileManager.default.fileExists(atPath: world.folder["dead.csv"]))
        }
    }

    /// RFC 4180, as a spreadsheet reads it.
    private static func rows(_ text: String) -> [[String]] {
        var rows: [[String]] = [[""]]
        var isQuoted = false
        var rest = Substring(text)
        while let character = rest.popFirst() {
            let last = rows.count - 1
            if character == "\"", isQuoted, rest.first == "\"" {
                rest.removeFirst()
                rows[last][rows[last].count - 1].append("\"")
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == ",", !isQuoted {
                rows[last].append("")
            } else if character == "\n", !isQuoted {
                rows.append([""])
            } else {
                rows[last][rows[last].count - 1].append(character)
            }
        }
        return rows
    }
}
