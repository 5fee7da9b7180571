import AppStoreSimulator
import Foundation
import Lifecycle
import Queue
import Redis
import TestSupport
import Testing

/// The fleet at a glance, in a pipe, in a window and over and over.
@Suite struct StatusTests {
    @Test func `without workers it says so, and each app has a line`() async throws {
        try await withCommands { world in
            _ = try await world.run("enqueue", "-", input: CommandWorld.job("a", "1"))
            let run = try await world.run("status")
            #expect(run.exit == .code(0))
            #expect(run.errors == [])
            #expect(run.output[0].hasSuffix("  0 workers"))
            #expect(run.output[1].split(separator: " ").map(String.init) == Self.columns)
            #expect(run.output[2].split(separator: " ").prefix(8) == ["audiobooks", "0", "1", "0", "0", "0", "0", "0"])
            #expect(run.output[2].hasSuffix("  0/5"))
            #expect(run.output[3].hasPrefix("games "))
            #expect(run.output.last == "no worker is alive")
            #expect(try await world.run("status", "--app", "games").output.count == 5)
            #expect(try await world.run("status", "--app", "gmaes").exit == .code(66))
        }
    }

    private static let columns = [
        "APP", "URGENT", "NORMAL", "BULK", "FLYING", "LATER", "HELD", "DEAD", "OLDEST", "RATE",
    ]

    @Test func `what keeps an app from sending stands below the table`() async throws {
        try await withCommands { world in
            #expect(
                try await world.run("apps", "pause", "audiobooks", "--why", "prices", "--as", "ida").exit == .code(0))
            let now = try #require(try await world.redis?.send("TIME").array?.first?.integer) * 1_000_000
            // As `block` and the down rule leave it; that they do is tried where each of them is tried.
            _ = try await world.redis?.send(
                "HSET", "kulanz:{games}:gate:refunds", "blockedUntil", RedisWord(now + 3_600_000_000))
            let blocked = try await world.run("status")
            #expect(
                blocked.output.contains { $0.hasPrefix("audiobooks: paused for ") && $0.hasSuffix("manual: prices") })
            #expect(blocked.output.contains { $0.hasPrefix("games: blocked by Apple for 5") })
            _ = try await world.redis?.send(
                "HSET", "kulanz:{games}:gate:refunds", "probeAt", RedisWord(now + 60_000_000))
            let down = try await world.run("status")
            #expect(down.output.contains { $0.hasPrefix("games: Apple is down; next probe in ") })
            let object = try #require(try await world.run("status", "--json").objects.first)
            let apps = try #require(object["apps"] as? [[String: Any]])
            #expect((apps[0]["paused"] as? [String: Any])?["by"] as? String == "ida")
            #expect(apps[1]["nextProbe"] as? Int == Int(now + 60_000_000) / 1000)
        }
    }

    @Test func `says which worker holds what, and since when`() async throws {
        try await withProgram {
            $0.scenario = "latencyMs: 20000"
        } _: { world in
            let workers = try await world.workers(2)
            try await world.add(TestJob.make(2))
            try await eventually("both are under way") { await world.simulator.entries.count == 2 }
            let object = try #require(try await world.line("kulanz status --json").objects.first)
            #expect(Set(object.keys) == ["at", "apps", "workers"])
            let now = try await world.now()
            let at = try #require(object["at"] as? Int)
            #expect(at <= Int(now) && at > Int(now) - 60_000)
            let crew = try #require(object["workers"] as? [[String: Any]])
            var names: [String?] = []
            for worker in workers { names.append(try await world.name(ofWorker: worker.pid)) }
            #expect(Set(crew.map { $0["worker"] as? String }) == Set(names))
            #expect(crew.allSatisfy { $0["apps"] as? [String] == ["audiobooks"] })
            let held = crew.flatMap { $0["holds"] as? [[String: Any]] ?? [] }
            #expect(Set(held.map { $0["id"] as? String }) == ["case.1", "case.2"])
            #expect(held.allSatisfy { Set($0.keys) == ["app", "id", "transactionId", "since"] })
            #expect(held.allSatisfy { ($0["since"] as? Int).map { $0 <= at && $0 > at - 60_000 } == true })
            let text = try await world.line("kulanz status").text
            #expect(text.contains("2 workers"))
            #expect(text.contains("WORKER"))
            #expect(text.contains("audiobooks/case.1"))
        }
    }

    /// `more`: what the environment adds. script(1) puts the command at a terminal of its own.
    @Test(arguments: ["", "NO_COLOR=1", "TERM=dumb"])
    func `fits a window of 80 columns and 24 rows`(more: String) async throws {
        try await withCommands { world in
            let why = String(repeating: "because ", count: 20)
            #expect(try await world.run("apps", "pause", "audiobooks", "--why", why).exit == .code(0))
            for worker in ["a-machine-with-a-long-name.example.com-4711-0123456789abcdef", "b-2-3"] {
                _ = try await world.redis?.send("HSET", "kulanz:fleet:workers", RedisWord(worker), "7 audiobooks,games")
            }
            let run = try await world.shell(
                "script -qec \"stty cols 80 rows 24; \(more) $K status\" /dev/null </dev/null")
            let lines = run.output.map { $0.replacing("\r", with: "") }
            #expect(run.exit == .code(0))
            #expect(lines.count <= 24)
            #expect(lines.allSatisfy { $0.count <= 80 }, "\(lines)")
            #expect(!lines.joined().contains("\u{1B}"))
            #expect(lines.contains { $0.hasPrefix("audiobooks: paused for") && $0.hasSuffix("…") })
            #expect(lines.contains { $0.hasPrefix("b-2-3") })
        }
    }

    @Test func `in a pipe nothing is cut and nothing steers a terminal`() async throws {
        try await withCommands { world in
            let why = String(repeating: "because ", count: 20)
            #expect(try await world.run("apps", "pause", "audiobooks", "--why", why).exit == .code(0))
            let child = try await world.start(["status", "--watch"])
            var lines: [String] = []
            var output = child.output.makeAsyncIterator()
            while lines.count(where: { $0.contains("because because") }) < 2, let line = await output.next() {
                lines.append(line)
            }
            await child.kill(SIGINT)
            #expect(await child.exit == .code(130))
            #expect(!lines.joined().contains("\u{1B}"))
            #expect(!lines.joined().contains("…"))
        }
    }

    @Test func `watches one object a line, for a program`() async throws {
        try await withCommands { world in
            let child = try await world.start(["status", "--watch", "--json"])
            var output = child.output.makeAsyncIterator()
            for _ in 1...2 {
                let line = try #require(await output.next())
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                #expect(object?["apps"] is [Any])
            }
            await child.kill(SIGINT)
            #expect(await child.exit == .code(130))
        }
    }

    @Test(arguments: ["", "NO_COLOR=1"])
    func `Ctrl-C ends the watch and leaves the terminal as it was`(more: String) async throws {
        try await withCommands { world in
            // So many apps that they don't fit.
            for number in 1...30 {
                _ = try await world.redis?.send(
                    "HSET", "kulanz:fleet:workers", RedisWord("worker-\(number)-0"), "1 audiobooks")
            }
            let keyboard = world.folder["keyboard"]
            #expect(mkfifo(keyboard, 0o600) == 0)
            // Open for both, so that neither side waits for the other.
            let keys = open(keyboard, O_RDWR | O_CLOEXEC)
            defer { close(keys) }
            let watch = "trap : INT; stty cols 80 rows 24; \(more) \(CommandWorld.program) status --watch"
            let child = try await ChildProcess.start(
                "/bin/sh",
                .init(
                    arguments: [
                        "-c", "exec script -qec '\(watch); echo \"code $?\"; stty -a' /dev/null <\(keyboard)",
                    ],
                    environment: ["PATH": "/usr/bin:/bin", "KULANZ_CONFIG": world.folder["kulanz.json5"]],
                    directory: world.folder.path, output: .lines, errors: .lines), on: TestLoop.shared)
            var lines: [String] = []
            var output = child.output.makeAsyncIterator()
            while lines.count(where: { $0.contains("audiobooks ") }) < 2, let line = await output.next() {
                lines.append(line)
            }
            var interrupt: UInt8 = 3
            #expect(write(keys, &interrupt, 1) == 1)
            while let line = await output.next() { lines.append(line) }
            // A return and a line feed are one character of Swift's.
            let text = lines.map { $0.replacing("\r", with: "") }.joined(separator: "\n")
            #expect(text.contains("code 130"))
            #expect(text.contains(" icanon") && text.contains(" echo "), "\(text.suffix(700))")
            for sequence in ["[?25l", "[?1049h", "[31m", "[1m"] { #expect(!text.contains("\u{1B}\(sequence)")) }
            #expect(text.contains("… and "))
            // One screen: from home to the clearing of what is below.
            let screen = try #require(text.components(separatedBy: "\u{1B}[H").dropFirst().first)
            let rows = screen.components(separatedBy: "\n")
            #expect(rows.count == 24, "23 rows and the one where the cursor rests")
            #expect(
                rows.allSatisfy { $0.replacing("\u{1B}[K", with: "").count <= 80 }, "\(rows)")
        }
    }
}
