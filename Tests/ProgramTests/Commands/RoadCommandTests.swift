import Foundation
import Lifecycle
import TestSupport
import Testing

/// The simulator, a worker and the commands, each a process of its own.
@Suite struct RoadCommandTests {
    /// Starts the simulator on any free port, gives its address to `body`, and ends it with SIGTERM.
    private func withSimulator(
        _ world: CommandWorld, _ arguments: [String] = [], _ body: (String) async throws -> Void
    ) async throws -> (exit: ChildProcess.Exit, report: [String: Any]) {
        let child = try await world.start(["simulate", "--port", "0", "--json"] + arguments)
        var lines = child.output.makeAsyncIterator()
        let first = try #require(await lines.next())
        let address = try #require(JSONSerialization.jsonObject(with: Data(first.utf8)) as? [String: Any])
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body(try #require(address["url"] as? String))) } catch {
            outcome = .failure(error)
        }
        let exit = await child.stop()
        let last = await lines.next() ?? "{}"
        try outcome.get()
        return (exit, try #require(JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any]))
    }

    @Test func `a refund travels from its flags to Apple's answer`() async throws {
        try await withCommands { world in
            let journal = world.folder["journal.jsonl"]
            let (exit, report) = try await withSimulator(world, ["--journal", journal]) { url in
                try world.configure(baseURL: url)
                let worker = try await world.start(["worker"])
                let words = CommandWorld.refund("a", "2000000123456789") + ["--wait", "--timeout", "30s", "--json"]
                let run = try await world.finished(try await world.start(words))
                #expect(run.exit == .code(0))
                #expect(try run.objects.map { $0["state"] as? String } == ["queued", "accepted"])

                let shown = try #require(try await world.run("jobs", "show", "a", "--json").objects.first)
                #expect(shown["state"] as? String == "accepted")
                #expect((shown["attempts"] as? [[String: Any]])?.map { $0["httpStatus"] as? Int } == [200])
                #expect(await worker.stop() == .code(0), "SIGTERM drains")
            }
            #expect(exit == .code(0))
            #expect(report["processed"] as? Int == 1)
            #expect(try String(contentsOfFile: journal, encoding: .utf8).contains("2000000123456789"))
        }
    }

    @Test func `a refund that Apple refuses is told with what to do`() async throws {
        try await withCommands { world in
            let scenario = world.folder["scenario.json5"]
            try "{ rules: [{ then: '4040010' }] }".write(toFile: scenario, atomically: true, encoding: .utf8)
            _ = try await withSimulator(world, ["--scenario", scenario]) { url in
                try world.configure(baseURL: url)
                let worker = try await world.start(["worker", "--log-format", "json"])
                let words = CommandWorld.refund("a", "1") + ["--wait", "--timeout", "30s"]
                let run = try await world.finished(try await world.start(words))
                #expect(run.exit == .code(65))
                #expect(run.errors.joined().contains("dead letter"))
                let letter = try #require(
                    try await world.run("dead", "list", "--code", "4040010", "--json").objects.first)
                #expect(letter["name"] as? String == "TransactionIdNotFoundError")
                #expect(letter["code"] as? Int == 4_040_010)
                _ = await worker.stop()
            }
        }
    }

    @Test func `waiting ends at its time and the job goes on`() async throws {
        try await withCommands { world in
            let words = CommandWorld.refund("a", "1") + ["--wait=outcome", "--timeout", "300ms"]
            let run = try await world.finished(try await world.start(words))
            #expect(run.exit == .code(75))
            #expect(run.errors.joined().contains("it goes on"))
        }
    }

    @Test func `a second simulator on the same port says that it is taken`() async throws {
        try await withLonelyCommands { world in
            _ = try await withSimulator(world) { url in
                let port = try #require(url.split(separator: ":").last.map(String.init))
                let run = try await world.run("simulate", "--port", port)
                #expect(run.exit == .code(69))
                #expect(run.errors.joined().contains(port))
            }
        }
    }

    @Test(arguments: [
        ("nope.json5", Int32(66)), ("bad.json5", 78),
    ])
    func `a scenario that can't be used is named`(file: String, code: Int32) async throws {
        try await withLonelyCommands { world in
            try "{ repeats: 'never' }".write(toFile: world.folder["bad.json5"], atomically: true, encoding: .utf8)
            let run = try await world.run("simulate", "--port", "0", "--scenario", file)
            #expect(run.exit == .code(code))
            #expect(run.errors.count == 1)
        }
    }

    @Test func `a simulator with credentials prints a configuration that works`() async throws {
        try await withCommands { world in
            _ = try await withSimulator(world, ["--credentials", "keys"]) { url in
                let keys = try FileManager.default.contentsOfDirectory(atPath: world.folder["keys"])
                #expect(keys.count == 1)
                #expect(keys[0].hasPrefix("AuthKey_"))
                #expect(url.hasPrefix("http://127.0.0.1:"))
            }
        }
    }

    @Test func `a worker reaches a simulator over HTTPS if it trusts its authority, and else sends nothing`()
        async throws
    {
        try await withCommands { world in
            let (_, report) = try await withSimulator(world, ["--tls", "tls"]) { url in
                #expect(url.hasPrefix("https://127.0.0.1:"))
                try world.configure(baseURL: url)
                let stranger = try await world.start(["worker"])
                _ = try await world.finished(try await world.start(CommandWorld.refund("a", "2000000123456789")))
                try await eventually("the refund was tried in vain") {
                    let shown = try await world.run("jobs", "show", "a", "--json").objects.first
                    let attempts = shown?["attempts"] as? [[String: Any]] ?? []
                    return attempts.contains { $0["result"] as? String == "unsent" }
                }
                #expect(await stranger.stop() == .code(0))

                try world.configure(baseURL: url, more: "caFile: \"tls/ca.pem\",")
                let worker = try await world.start(["worker"])
                let words = ["jobs", "show", "a", "--json"]
                try await eventually("the refund is accepted") {
                    try await world.finished(try await world.start(words)).objects.first?["state"] as? String
                        == "accepted"
                }
                let shown = try #require(try await world.finished(try await world.start(words)).objects.first)
                let attempts = try #require(shown["attempts"] as? [[String: Any]])
                #expect(Set(attempts.map { $0["referenceId"] as? String }).count == 1)
                #expect(await worker.stop() == .code(0))
            }
            #expect(report["processed"] as? Int == 1)
        }
    }
}
