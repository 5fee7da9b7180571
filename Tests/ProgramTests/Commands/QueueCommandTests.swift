import Foundation
import Lifecycle
import Redis
import TestSupport
import Testing

/// The commands over the queue, on a real Redis.
@Suite struct QueueCommandTests {
    @Test func `enqueue answers each line and lets the good ones in`() async throws {
        try await withCommands { world in
            let lines = [
                CommandWorld.job("a", "1"), "",
                CommandWorld.job("b", "2").replacing("refundAmount", with: "refundAmout"),
                "no json", CommandWorld.job("c", "3", app: "nobody"), CommandWorld.job("d", "4", app: "games"),
            ]
            let run = try await world.run("enqueue", "-", "--json", input: lines.joined(separator: "\n"))
            #expect(run.exit == .code(65))
            let objects = try run.objects
            #expect(objects.map { $0["id"] as? String } == ["a", "b", nil, "c", "d"])
            #expect(objects.map { $0["state"] as? String } == ["queued", nil, nil, nil, "queued"])
            #expect(objects.map { $0["line"] as? Int } == [nil, 3, 4, 5, nil])
            #expect(objects[1].description.contains("did you mean"))
            #expect(objects[3].description.contains("unknownApp"))
            #expect(run.errors == ["2 enqueued, 0 known already, 3 refused"])
            #expect(try await world.redis?.send("XLEN", "kulanz:{audiobooks}:jobs:normal").integer == 1)
            #expect(try await world.redis?.send("XLEN", "kulanz:{games}:jobs:normal").integer == 1)
        }
    }

    @Test func `the same file again enqueues nothing twice`() async throws {
        try await withCommands { world in
            let file = world.folder["jobs.jsonl"]
            try [CommandWorld.job("a", "1"), CommandWorld.job("b", "2")].joined(separator: "\n")
                .write(toFile: file, atomically: true, encoding: .utf8)
            #expect(try await world.run("enqueue", file).exit == .code(0))
            let again = try await world.run("enqueue", file)
            #expect(again.exit == .code(0))
            #expect(try again.objects.map { $0["duplicate"] as? Bool } == [true, true])
            #expect(again.errors == ["0 enqueued, 2 known already, 0 refused"])
            let other = try await world.run("enqueue", "-", input: CommandWorld.job("a", "1", amount: 10))
            #expect(other.exit == .code(65))
            #expect(other.output.joined().contains("\"conflict\""))
            let same = try await world.run("enqueue", "-", input: CommandWorld.job("e", "1"))
            #expect(same.output.joined().contains("alreadyRequested"))
            #expect(same.output.joined().contains("jobs show a"))
        }
    }

    @Test func `a file that isn't there exits 66`() async throws {
        try await withCommands { world in
            for file in ["nope.jsonl", "."] {
                let run = try await world.run("enqueue", file)
                #expect(run.exit == .code(66), "\(file)")
            }
        }
    }

    @Test func `a reader that goes away ends the command without a word`() async throws {
        try await withCommands { world in
            let jobs = (1...300).map { CommandWorld.job("j\($0)", "\($0)") }.joined(separator: "\n")
            try jobs.write(toFile: world.folder["jobs.jsonl"], atomically: true, encoding: .utf8)
            let run = try await world.shell("$K enqueue jobs.jsonl 2>err | head -n 1; cat err >&2")
            #expect(run.output.count == 1)
            #expect(run.errors == [])
        }
    }

    @Test func `a job is listed by transaction, by state and by time`() async throws {
        try await withCommands { world in
            let lines = [CommandWorld.job("a", "1"), CommandWorld.job("b", "2")].joined(separator: "\n")
            _ = try await world.run("enqueue", "-", input: lines)
            let ways = [
                ["--transaction", "1"], ["--state", "queued", "--limit", "1"], ["--since", "1h", "--limit", "1"],
            ]
            for way in ways {
                let run = try await world.finished(try await world.start(["jobs", "list", "--json"] + way))
                #expect(run.exit == .code(0))
                #expect(try run.objects.map { $0["id"] as? String } == ["a"], "\(way)")
            }
            let table = try await world.run("jobs", "list", "--since", "1h")
            #expect(table.output.first?.hasPrefix("ID  APP") == true)
            #expect(table.output.count == 3)
            #expect(try await world.run("jobs", "list", "--state", "dead").output == [])
        }
    }

    @Test func `a job is shown in the contract's shape`() async throws {
        try await withCommands { world in
            _ = try await world.run("enqueue", "-", input: CommandWorld.job("a", "1"))
            let object = try #require(try await world.run("jobs", "show", "a", "--json").objects.first)
            let keys: Set = [
                "id", "app", "operation", "transactionId", "priority", "state", "requestReferenceId", "enqueuedAt",
                "dueAt", "attempts", "items", "error", "requestedBy", "note",
            ]
            #expect(keys.subtracting(object.keys) == [])
            #expect(object["state"] as? String == "queued")
            #expect(object["error"] is NSNull)
            #expect(try await world.run("jobs", "show", "a").output.first?.contains("a  (audiobooks)") == true)
            #expect(try await world.run("jobs", "show", "b").exit == .code(66))
            #expect(try await world.run("jobs", "show", "a", "--app", "games").exit == .code(66))
        }
    }

    @Test func `a withdrawn job is a dead letter, is redriven with a change, and is discarded`() async throws {
        try await withCommands { world in
            _ = try await world.run("enqueue", "-", input: CommandWorld.job("a", "1"))
            #expect(try await world.run("jobs", "withdraw", "a", "--dry-run").output == ["a  would be withdrawn"])
            #expect(try await world.run("jobs", "withdraw", "a", "--why", "mistake").output == ["a  withdrawn"])
            #expect(try await world.run("jobs", "withdraw", "nope").exit == .code(66))
            let letter = try #require(try await world.run("dead", "list", "--json").objects.first)
            #expect(letter["reason"] as? String == "withdrawn")
            #expect(Set(letter.keys).isSuperset(of: ["id", "app", "code", "name", "hint", "at", "attempts", "job"]))
            #expect((letter["job"] as? [String: Any])?["transactionId"] as? String == "1")
            #expect(try await world.run("dead", "show", "a").output.joined().contains("withdrawn"))

            // Who acts says why.
            #expect(try await world.run("dead", "redrive", "a").exit == .code(64))
            let fixed = try await world.run("dead", "redrive", "a", "--set", "transactionId=2", "--why", "x")
            #expect(fixed.exit == .code(65))
            #expect(fixed.errors.joined().contains("notSettable"))
            let amount = "request.items.0.refundAmount=2500"
            let redriven = try await world.run(
                "dead", "redrive", "a", "--set", amount, "--why", "corrected", "--as", "ida")
            #expect(redriven.exit == .code(0))
            #expect(try await world.run("dead", "list", "--json").output == [])

            _ = try await world.run("jobs", "withdraw", "a")
            #expect(try await world.run("dead", "discard", "a", "--why", "done by hand").output == ["a  discarded"])
            #expect(try await world.run("dead", "discard", "a", "--why", "again").exit == .code(66))
            let shown = try await world.run("jobs", "show", "a")
            #expect(shown.output.contains { $0.contains("redrive") && $0.contains("ida") })
        }
    }

    @Test func `jobs of one requester are withdrawn together`() async throws {
        try await withCommands { world in
            let jobs = (1...3).map { number in
                CommandWorld.job("c\(number)", "\(number)")
                    .replacing("{\"id\"", with: "{\"requestedBy\":\"\(number < 3 ? "campaign" : "agent")\",\"id\"")
            }
            _ = try await world.run("enqueue", "-", input: jobs.joined(separator: "\n"))
            let choice = ["--app", "audiobooks", "--requested-by", "campaign", "--since", "1h", "--json"]
            let run = try await world.finished(try await world.start(["jobs", "withdraw"] + choice))
            #expect(try Set(run.objects.compactMap { $0["id"] as? String }) == ["c1", "c2"])
            #expect(try await world.run("jobs", "list", "--state", "queued", "--json").objects.count == 1)
        }
    }

    @Test func `what producers added by themselves is withdrawn too, without any worker`() async throws {
        try await withCommands { world in
            _ = try await world.run("apps", "pause", "audiobooks")
            for number in 1...3 {
                let requester = number < 3 ? "campaign" : "agent"
                let job = CommandWorld.job("c\(number)", "\(number)")
                    .replacing("{\"id\"", with: "{\"requestedBy\":\"\(requester)\",\"id\"")
                _ = try await world.redis?.send("XADD", "kulanz:{audiobooks}:jobs:bulk", "*", "job", RedisWord(job))
            }
            let run = try await world.run(
                "jobs", "withdraw", "--app", "audiobooks", "--requested-by", "campaign", "--since", "1h")
            #expect(run.exit == .code(0))
            #expect(Set(run.output) == ["c1  withdrawn", "c2  withdrawn"])
            let left = try await world.run("jobs", "list", "--state", "queued", "--json").objects
            #expect(left.map { $0["id"] as? String } == ["c3"])
        }
    }

    @Test func `an entry that is no job becomes a letter, and is mended from the command line`() async throws {
        try await withCommands { world in
            let job = CommandWorld.job("a", "1").replacing(
                "\"refundType\":\"CUSTOM\"", with: "\"refundType\":\"CUSTOMS\"")
            _ = try await world.redis?.send("XADD", "kulanz:{audiobooks}:jobs:bulk", "*", "job", RedisWord(job))
            // Ends since nothing is left that could be sent: judging an entry needs no Apple.
            #expect(try await world.run("worker", "--until-idle", "--app", "audiobooks").exit == .code(0))
            let letter = try #require(try await world.run("dead", "list", "--json").objects.first)
            let id = try #require(letter["id"] as? String)
            #expect(letter["hint"] as? String != "")
            #expect(try await world.run("dead", "redrive", id, "--why", "x").exit == .code(65))
            let run = try await world.run(
                "dead", "redrive", id, "--why", "typo", "--set", "request.items.0.refundType=CUSTOM")
            #expect(run.exit == .code(0))
            #expect(try await world.run("dead", "list", "--json").output == [])
            let shown = try #require(try await world.run("jobs", "show", "a", "--json").objects.first)
            #expect(shown["state"] as? String == "queued")
        }
    }

    @Test func `a paused app is listed as such, and a worker that could only serve it exits 75`() async throws {
        try await withCommands { world in
            _ = try await world.run("enqueue", "-", input: CommandWorld.job("a", "1"))
            let pause = try await world.run("apps", "pause", "audiobooks", "--why", "prices", "--as", "ida", "--json")
            #expect(try pause.objects.first?["changed"] as? Bool == true)
            let again = try await world.run("apps", "pause", "audiobooks", "--json")
            #expect(try again.objects.first?["changed"] as? Bool == false)
            let apps = try await world.run("apps", "list", "--json").objects
            #expect(apps.map { $0["app"] as? String } == ["audiobooks", "games"])
            let paused = try #require(apps[0]["paused"] as? [String: Any])
            #expect(paused["by"] as? String == "ida")
            #expect(apps[1]["paused"] is NSNull)
            #expect((apps[0]["lanes"] as? [String: Int]) == ["urgent": 0, "normal": 1, "bulk": 0])
            #expect((apps[1]["rate"] as? [String: Double])?["limit"] == 0.5)

            let worker = try await world.run("worker", "--until-idle")
            #expect(worker.exit == .code(75))
            #expect(worker.errors.joined().contains("audiobooks"))
            #expect(try await world.run("apps", "resume", "audiobooks").output == ["audiobooks  sending again"])
        }
    }

    @Test func `at a terminal a refund is shown and asked about`() async throws {
        try await withCommands { world in
            let refund = CommandWorld.refund("a", "1").joined(separator: " ")
            // script(1) puts the command at a terminal of its own.
            let refused = try await world.shell("echo n | script -qec \"$K \(refund)\" /dev/null")
            #expect(refused.exit == .code(75))
            #expect(refused.output.joined().contains("Ask Apple for this? [y/N]"))
            #expect(refused.output.joined().contains("the customer loses it"))
            #expect(try await world.run("jobs", "show", "a").exit == .code(66))
            let sure = try await world.shell("script -qec \"$K \(refund) --yes\" /dev/null </dev/null")
            #expect(sure.exit == .code(0))
            #expect(!sure.output.joined().contains("[y/N]"))
        }
    }

    @Test(arguments: ["1h", "2020-01-01", "2020-01-01T10:00:00Z", "2020-01-01T10:00:00+02:00", "1577836800000"])
    func `a time may be said in several ways`(time: String) async throws {
        try await withCommands { world in
            _ = try await world.run("enqueue", "-", input: CommandWorld.job("a", "1"))
            let run = try await world.run("jobs", "list", "--since", time, "--json")
            #expect(run.exit == .code(0))
            #expect(run.output.count == 1)
        }
    }

    @Test func `a table fits a narrow window and is whole in a pipe`() async throws {
        try await withCommands { world in
            let long = String(repeating: "t", count: 60)
            _ = try await world.run("enqueue", "-", input: CommandWorld.job("a", long))
            let whole = try await world.run("jobs", "list", "--since", "1h")
            #expect(whole.output.last?.contains(long) == true)
            let narrow = try await world.shell(
                "script -qec \"stty cols 90; $K jobs list --since 1h\" /dev/null </dev/null")
            #expect(narrow.output.contains { $0.hasPrefix("a ") })
            #expect(narrow.output.allSatisfy { $0.count <= 91 }, "\(narrow.output)")
            #expect(narrow.output.joined().contains("…"))
        }
    }

    @Test func `Ctrl-C while waiting exits 130 and leaves the job`() async throws {
        try await withCommands { world in
            let child = try await world.start(CommandWorld.refund("a", "1") + ["--wait", "--json"])
            var lines = child.output.makeAsyncIterator()
            _ = await lines.next()
            await child.kill(SIGINT)
            #expect(await child.exit == .code(130))
            #expect(try await world.run("jobs", "show", "a").exit == .code(0))
        }
    }
}
