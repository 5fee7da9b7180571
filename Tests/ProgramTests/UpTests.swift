import AppStoreSimulator
import Foundation
import Lifecycle
import Queue
import Redis
import Refunds
import TestSupport
import Testing

@Suite struct `One machine, one command` {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The example with an app's own values, and Apple's address for this test, as a user fills them in.
    private func filledExample(_ world: UpWorld) throws -> String {
        let example = try String(contentsOf: Self.root.appending(path: "config/kulanz.example.json5"), encoding: .utf8)
        let values = [
            "com.example.audiobooks": "com.example.audiobooks", "1234567890": "1795872040", "2X9R4HXF34": "ABC123DEFG",
            "57246542-96fe-1a63-e053-0824d011072a": "11111111-96fe-1a63-e053-0824d011072a",
            "AuthKey_ABC123DEFG.p8": "key.p8",
            #"// baseURL: "https://api.storekit.apple.com","#: #"baseURL: "http://127.0.0.1:\#(world.program.port)","#,
        ]
        // The key's file bears the key's id, so that comes first.
        return values.sorted { $0.key < $1.key }.reversed().reduce(example) { $0.replacing($1.key, with: $1.value) }
            .replacing("AuthKey_ABC123DEFG.p8", with: "key.p8")
    }

    @Test func `the example with an app's own values takes jobs in, sends them, and keeps them over its end`()
        async throws
    {
        try await withUp { world in
            let example = try filledExample(world)
            #expect(!example.contains("2X9R4HXF34") && !example.contains("AuthKey_"))
            try example.write(toFile: world.configuration, atomically: true, encoding: .utf8)
            var up = try await world.up()
            let jobs = TestJob.make(2)
            try jobs[0].json.write(toFile: world.folder["jobs.jsonl"], atomically: true, encoding: .utf8)
            let enqueued = try await world.run("enqueue", world.folder["jobs.jsonl"])
            #expect(enqueued.status == 0, "\(enqueued)")
            let added = try await ShortCommand.run(
                "redis-cli", ["-s", world.socket, "XADD", "kulanz:{audiobooks}:jobs:normal", "*", "job", jobs[1].json])
            #expect(added.status == 0, "\(added)")
            for job in jobs {
                try await eventually("\(job.id) is accepted") {
                    try await world.run("jobs", "show", job.id, "--json").output.contains("\"state\":\"accepted\"")
                }
            }
            await up.child.kill(SIGTERM)
            #expect(await up.child.exit == .code(0))
            up = try await world.up()
            let shown = try await world.run("jobs", "show", jobs[1].id, "--json")
            #expect(shown.output.contains("\"state\":\"accepted\""), "\(shown)")
            let attributes = try FileManager.default.attributesOfItem(atPath: world.data)
            #expect(attributes[.posixPermissions] as? Int == 0o700)
        }
    }

    @Test(arguments: [
        ["apps", "list"], ["status"], ["jobs", "show", "a"], ["dead", "list"], ["worker"], ["enqueue", "/dev/null"],
    ])
    func `while it isn't running, other commands say so and how to change that`(words: [String]) async throws {
        try await withUp { world in
            let outcome = try await ShortCommand.run(Program.path, words + ["--config", world.configuration])
            #expect(outcome.status == 69)
            #expect(outcome.errors.contains("\(world.data) isn't running; start “kulanz up” with this configuration"))
            #expect(!FileManager.default.fileExists(atPath: world.data))
        }
    }

    @Test func `a folder has one, and a second is told who that is`() async throws {
        try await withUp { world in
            let first = try await world.up()
            let second = try await world.run("up")
            #expect(second.status == 75)
            #expect(second.errors.contains("kulanz up runs on \(world.data) already (process \(first.child.pid))"))
            #expect(await first.child.isRunning)
            #expect(try await world.run("apps", "list").status == 0)
        }
    }

    // MARK: What dies is started again

    @Test func `Redis is killed with requests on their way, and each is accepted and sent once`() async throws {
        try await withUp { shape in
            shape.requestsPerSecond = 20
            shape.scenario = "latencyMs: 700"
        } _: { world in
            let up = try await world.up()
            let jobs = TestJob.make(50)
            try await world.program.add(jobs)
            for round in 1...2 {
                try await eventually("requests are under way") {
                    await world.program.simulator.entries.count >= round * 10
                }
                kill(try #require(up.pids(of: "redis").last), SIGKILL)
                try await eventually("Redis runs again") { up.pids(of: "redis").count == round + 1 }
            }
            try await allAccepted(jobs, world)
            #expect(world.living("worker-1") == up.pids(of: "worker-1"), "a worker needs no new beginning")
        }
    }

    @Test func `a worker is killed with requests on their way, and another takes its place and its jobs`() async throws
    {
        try await withUp { shape in
            shape.requestsPerSecond = 20
            shape.scenario = "latencyMs: 700, repeats: 'replay-200'"
            (shape.leaseSeconds, shape.requestTimeoutSeconds) = (3, 2)
        } _: { world in
            let up = try await world.up()
            let jobs = TestJob.make(40)
            try await world.program.add(jobs)
            let victim = try await busyWorker(world)
            kill(up.pids(of: victim)[0], SIGKILL)
            try await eventually("there is another \(victim)") { up.pids(of: victim).count == 2 }
            try await allAccepted(jobs, world, once: false)
            #expect(try await world.program.books(jobs).lostAttempts > 0)
            let other = victim == "worker-1" ? "worker-2" : "worker-1"
            #expect(world.living(other) == up.pids(of: other))
        }
    }

    /// The name of a worker that has sent requests and has no answers yet.
    private func busyWorker(_ world: UpWorld) async throws -> String {
        var found: String?
        try await eventually("requests are under way") {
            for id in try await world.program.queue().jobs(in: .sending, limit: 8) {
                guard let holder = try await world.program.queue().show(id)?.worker else { continue }
                found = ["worker-1", "worker-2"].first { name in
                    world.living(name).contains { holder.contains("-\($0)-") }
                }
            }
            return found != nil
        }
        return try #require(found)
    }

    @Test func `a worker that can't begin any more ends it all, with its words and its code`() async throws {
        try await withUp { world in
            let up = try await world.up(["--workers", "1"])
            let text = try String(contentsOfFile: world.configuration, encoding: .utf8)
            try text.replacing("bundleId", with: "bundelId")
                .write(toFile: world.configuration, atomically: true, encoding: .utf8)
            kill(up.pids(of: "worker-1")[0], SIGKILL)
            #expect(await up.child.exit == .code(78))
            let end = up.lines.suffix(6).joined(separator: "\n")
            #expect(end.contains("kulanz: worker-1 ended again and again right after its start, at last with code 78"))
            #expect(end.contains("apps.audiobooks.bundelId"))
            #expect(up.pids(of: "worker-1").count == 6)
            #expect(world.living("redis") == [])
        }
    }

    // MARK: Its own death

    @Test(arguments: [false, true])
    func `it is killed itself: its workers drain, and the next one goes on where it was`(
        isRedisStopped: Bool
    ) async throws {
        try await withUp { shape in
            shape.requestsPerSecond = 20
            shape.scenario = "latencyMs: 500"
        } _: { world in
            let first = try await world.up()
            let jobs = TestJob.make(40)
            try await world.program.add(jobs)
            try await eventually("requests are under way") { await world.program.simulator.entries.count >= 10 }
            await first.child.kill(SIGKILL)
            _ = await first.child.exit
            try await eventually("its workers have drained") {
                world.living("worker-1").isEmpty && world.living("worker-2").isEmpty
            }
            #expect(try await world.run("apps", "list").status == 69)
            let orphan = world.living("redis")
            #expect(orphan == first.pids(of: "redis"))
            // Producers still reach it, and what it acknowledges counts.
            try await world.program.add(TestJob.make(1, from: 900))
            if isRedisStopped { kill(orphan[0], SIGSTOP) }
            let second = try await world.up()
            #expect(second.lines.contains { $0.contains("ended the redis of an earlier kulanz up") })
            #expect(world.living("redis") == second.pids(of: "redis"))
            try await allAccepted(jobs + TestJob.make(1, from: 900), world)
        }
    }

    @Test func `everything is killed at once, and nothing is lost`() async throws {
        try await withUp { shape in
            shape.requestsPerSecond = 20
            shape.scenario = "latencyMs: 300, repeats: 'replay-200'"
            (shape.leaseSeconds, shape.requestTimeoutSeconds) = (3, 2)
        } _: { world in
            let first = try await world.up()
            let jobs = TestJob.make(40)
            try await world.program.add(jobs)
            try await eventually("requests are under way") { await world.program.simulator.entries.count >= 10 }
            await first.child.kill(SIGKILL)
            for name in ["worker-1", "worker-2", "redis"] { kill(first.pids(of: name)[0], SIGKILL) }
            _ = await first.child.exit
            _ = try await world.up()
            try await allAccepted(jobs, world, once: false)
        }
    }

    /// Waits until all jobs are accepted and looks into the books.
    /// - Parameter once: whether each arrived a single time, too.
    private func allAccepted(_ jobs: [TestJob], _ world: UpWorld, once: Bool = true) async throws {
        try await eventually("all are accepted", within: .seconds(60)) {
            try await world.program.books(jobs).states == [.accepted: jobs.count]
        }
        let books = try await world.program.books(jobs)
        print("up: \(books.summary)")
        #expect(books.breaches == [])
        if once { #expect(books.entries.count == jobs.count) }
    }

    // MARK: Ending

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func `a signal lets requests come to their end, then ends everything`(signal: Int32) async throws {
        try await withUp { shape in
            shape.scenario = "latencyMs: 1500"
        } _: { world in
            let up = try await world.up()
            let jobs = TestJob.make(5)
            try await world.program.add(jobs)
            try await eventually("all are under way") { await world.program.simulator.entries.count == jobs.count }
            await up.child.kill(signal)
            #expect(await up.child.exit == .code(0))
            for name in ["worker-1", "worker-2", "redis"] { #expect(world.living(name) == [], "\(name)") }
            // Redis was the last to end.
            #expect(up.lines.last { $0.hasPrefix("up ") }?.contains("redis has ended") == true)
            _ = try await world.up()
            try await allAccepted(jobs, world)
        }
    }

    @Test func `a second signal ends everything at once`() async throws {
        try await withUp { world in
            let up = try await world.up()
            try await world.program.add(TestJob.make(1, suffix: "-hang-always"))
            try await eventually("it is under way") { await world.program.simulator.entries.count == 1 }
            await up.child.kill(SIGTERM)
            try await eventually("it drains") { up.lines.contains { $0.contains("a second signal ends at once") } }
            await up.child.kill(SIGTERM)
            #expect(await up.child.exit == .code(128 + SIGTERM))
            try await eventually("nothing is left") {
                ["worker-1", "worker-2", "redis"].allSatisfy { world.living($0).isEmpty }
            }
        }
    }

    @Test func `under nohup a closed terminal is no reason to end`() async throws {
        try await withUp { world in
            let log = world.folder["up-nohup.log"]
            let line = "trap '' HUP; exec '\(Program.path)' up --workers 1 --config '\(world.configuration)'"
            let child = try await world.program.crew.start(
                "/bin/sh", ["-c", line], errors: log, on: world.program.loop)
            let up = UpProcess(child: child, log: log)
            try await eventually("everything runs") { up.lines.contains { $0.contains("everything runs") } }
            await child.kill(SIGHUP)
            await child.kill(SIGTERM)
            #expect(await child.exit == .code(0))
            #expect(up.lines.count { $0.contains("draining; a second signal") } == 1)
        }
    }

    @Test func `a Redis that others run is left to them`() async throws {
        try await withProgram { world in
            let log = world.folder["up.log"]
            let child = try await world.crew.start(
                Program.path, ["up", "--workers", "1", "--config", try world.configuration()], errors: log,
                on: world.loop)
            let up = UpProcess(child: child, log: log)
            let jobs = TestJob.make(1)
            try await world.add(jobs)
            try await eventually("it is accepted") { try await world.queue().state(of: jobs[0].id) == .accepted }
            await child.kill(SIGTERM)
            #expect(await child.exit == .code(0))
            #expect(up.pids(of: "redis") == [])
            #expect(try await world.client.send(["PING"]).string == "PONG")
        }
    }

    // MARK: What it says

    @Test func `for collectors every line is an object that names its process`() async throws {
        try await withUp { world in
            let up = try await world.start(["--log-format", "json", "--workers", "1"])
            try await eventually("the worker has spoken") {
                up.lines.contains { $0.hasPrefix("{\"process\":\"worker-1\"") && $0.contains("Redis is connected") }
            }
            await up.child.kill(SIGTERM)
            #expect(await up.child.exit == .code(0))
            var processes: Set<String> = []
            for line in up.lines {
                let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
                processes.insert(try #require(object["process"]))
                #expect(object["level"] != nil && object["message"] != nil && object["time"] != nil)
            }
            #expect(processes == ["up", "redis", "worker-1"])
        }
    }

    @Test func `a service manager is told when everything runs and when the end begins`() async throws {
        try await withUp { world in
            let ear = try NoticeListener(world.folder["notify"])
            let up = try await world.start(["--workers", "1"], variables: ["NOTIFY_SOCKET": ear.address])
            var words: [String] = []
            try await eventually("it is ready") {
                if let word = ear.next() { words.append(word) }
                return !words.isEmpty
            }
            #expect(words == ["READY=1\nSTATUS=1 workers"])
            #expect(try await world.run("apps", "list").status == 0)
            await up.child.kill(SIGTERM)
            #expect(await up.child.exit == .code(0))
            #expect(ear.next() == "STOPPING=1\nSTATUS=draining")
            #expect(ear.next() == nil, "no child speaks in its name")
        }
    }

    @Test func `a machine without redis-server is told what to install`() async throws {
        try await withUp { world in
            let up = try await world.start(variables: ["PATH": world.folder.path])
            #expect(await up.child.exit == .code(69))
            #expect(up.lines.last?.hasPrefix("kulanz: redis-server is not installed.") == true)
        }
    }

    @Test func `data that Redis can't read end it with Redis's own words, and stay as they are`() async throws {
        try await withUp { world in
            let first = try await world.up(["--workers", "1"])
            await first.child.kill(SIGTERM)
            _ = await first.child.exit
            let file = world.data + "/appendonlydir/appendonly.aof.manifest"
            try "no manifest\n".write(toFile: file, atomically: true, encoding: .utf8)
            let second = try await world.start()
            #expect(await second.child.exit == .code(69))
            let words = second.lines.joined(separator: "\n")
            #expect(words.contains("redis-server did not start: it ended at once"))
            #expect(words.contains("manifest"))
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "no manifest\n")
        }
    }

    @Test(arguments: [["--workers", "0"], ["--workers", "65"], ["--workers", "many"]])
    func `a number of workers that can't be is refused`(words: [String]) async throws {
        try await withUp { world in
            let outcome = try await ShortCommand.run(
                Program.path, ["up", "--config", world.configuration] + words)
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains("--workers expects"))
        }
    }

    @Test func `a worker whose starter goes drains`() async throws {
        try await withProgram { world in
            let file = try world.configuration()
            let outcome = try await ShortCommand.run(
                "/bin/sh", ["-c", "exec '\(Program.path)' worker --until-input-ends --config '\(file)'"])
            #expect(outcome.status == 0)
            #expect(outcome.errors.contains("draining"))
        }
    }
}
