import Foundation
import Lifecycle
import Testing

/// What needs neither Redis nor Apple: words, help, exit codes.
@Suite struct FrontTests {
    @Test(arguments: [[], ["--help"], ["-h"], ["help"]])
    func `help goes to standard output and is no error`(words: [String]) async throws {
        try await withLonelyCommands { world in
            let run = try await finished(world, words)
            #expect(run.exit == .code(0))
            #expect(run.output.contains("Usage: kulanz COMMAND [options]"))
            #expect(run.errors == [])
            #expect(run.output.allSatisfy { $0.count <= 80 && !$0.contains("\u{1B}") })
        }
    }

    @Test func `every command teaches with an example`() async throws {
        try await withLonelyCommands { world in
            // As help lists them: two blanks, the name, more blanks, what it does.
            let commands = try await world.run("--help").output.compactMap { line in
                line.wholeMatch(of: /[ ]{2}(\w[\w -]*?)[ ]{2,}.+/).map { String($0.1) }
            }
            #expect(commands.count >= 18)
            for command in commands {
                let run = try await finished(world, command.split(separator: " ").map(String.init) + ["--help"])
                #expect(run.exit == .code(0))
                #expect(run.output.contains { $0.hasPrefix("Usage: kulanz \(command)") }, "\(command)")
                // The first example is a call of this very command.
                let example = run.output.drop { $0 != "Examples:" }.dropFirst().first
                #expect(example?.hasPrefix("  kulanz \(command)") == true, "\(command)")
            }
        }
    }

    @Test func `the version is one line`() async throws {
        try await withLonelyCommands { world in
            let run = try await world.run("--version")
            #expect(run.output.map { $0.hasPrefix("kulanz ") } == [true])
        }
    }

    @Test(arguments: [
        (["enqeue"], "did you mean enqueue?"), (["dead"], "needs to know what: list, show, redrive"),
        (["cancel", "--app", "x"], "kulanz cancel-subscription"), (["cancel"], "kulanz jobs withdraw"),
        (["redrive", "x"], "did you mean dead redrive?"), (["jobs", "list"], "say --transaction, --state or --since"),
        (["refund"], "--sku, --reason, --type, --revoke-access, --app and --transaction are missing"),
        (["jobs", "list", "--state", "acepted"], "did you mean accepted?"),
        (["jobs", "list", "--since", "now"], "2h (ago)"),
        (["dead", "redrive"], "name letters, or choose them"),
        (["dead", "discard", "--app", "a", "--outcome", "refunded"], "name its ID"),
        (["jobs", "withdraw", "--app", "a"], "name jobs, or choose them"),
    ])
    func `wrong words exit 64 with a sentence and nothing on standard output`(
        words: [String], sentence: String
    ) async throws {
        try await withLonelyCommands { world in
            let run = try await finished(world, words)
            #expect(run.exit == .code(64))
            #expect(run.output == [])
            #expect(run.errors.joined(separator: " ").contains(sentence))
            #expect(run.errors.last?.contains("--help” tells more") == true)
        }
    }

    @Test func `an amount is never guessed at`() async throws {
        try await withLonelyCommands { world in
            let words = CommandWorld.refund("a", "1") + ["--amount", "4,99", "--currency", "EUR"]
            #expect(try await finished(world, words).exit == .code(64))
            let twice = CommandWorld.refund("a", "1") + ["--sku", "other", "--amount", "4.99", "--currency", "EUR"]
            let run = try await finished(world, twice)
            #expect(run.errors.first?.contains("for each of them") == true)
        }
    }

    @Test func `a missing configuration exits 78 and names the example`() async throws {
        try await withLonelyCommands { world in
            let run = try await world.run("apps", "list", "--config", "nope.json5")
            #expect(run.exit == .code(78))
            #expect(run.errors.joined().contains("config/kulanz.example.json5"))
        }
    }

    @Test func `a wrong configuration exits 78 and tells everything at once`() async throws {
        try await withLonelyCommands { world in
            try world.configure(more: "limt: 5, keyIds: 3,")
            let run = try await world.run("apps", "list")
            #expect(run.exit == .code(78))
            #expect(run.errors.count == 3)
            #expect(run.errors.joined().contains("did you mean limit?"))
        }
    }

    @Test func `a Redis that isn't there exits 69`() async throws {
        try await withLonelyCommands { world in
            let run = try await world.run("apps", "list")
            #expect(run.exit == .code(69))
            #expect(run.errors.joined().contains("No connection to Redis"))
        }
    }

    @Test func `an app that isn't configured exits 66 and names the near one`() async throws {
        try await withLonelyCommands { world in
            let run = try await world.run("apps", "pause", "audiobok")
            #expect(run.exit == .code(66))
            #expect(run.errors.joined().contains("did you mean audiobooks?"))
        }
    }

    @Test func `a dry run shows the request without any Redis`() async throws {
        try await withLonelyCommands { world in
            let words = CommandWorld.refund("case-1", "2000000123456789") + ["--dry-run"]
            let run = try await finished(world, words)
            #expect(run.exit == .code(0))
            #expect(run.output.joined().contains("Nothing was enqueued"))
            let object = try #require(try await finished(world, words + ["--json"]).objects.first)
            #expect(object["dryRun"] as? Bool == true)
            #expect((object["job"] as? [String: Any])?["id"] as? String == "case-1")
            #expect(object["requestReferenceId"] is String)
        }
    }

    @Test func `every violation of a request is told, and it exits 65`() async throws {
        try await withLonelyCommands { world in
            let words = CommandWorld.refund("a b", "1/2") + ["--dry-run", "--json", "--storefront", "Germany"]
            let run = try await finished(world, words)
            #expect(run.exit == .code(65))
            let object = try #require(try run.objects.first)
            let codes = (object["violations"] as? [[String: Any]])?.compactMap { $0["code"] as? String }
            #expect(codes == ["malformedId", "malformedTransactionId", "malformedStorefront"])
        }
    }

    private func finished(_ world: CommandWorld, _ words: [String]) async throws -> CommandWorld.Run {
        let child = try await world.start(words)
        return try await world.finished(child)
    }
}
