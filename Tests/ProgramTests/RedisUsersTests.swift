import EventLoop
import Foundation
import Lifecycle
import Queue
import Redis
import Refunds
import TestSupport
import Testing

/// The users that `scripts/redis-users` makes of config/users.acl, on a real Redis.
@Suite struct `A user of Redis` {
    // MARK: What each may do

    private static let lane = "kulanz:{audiobooks}:jobs:normal"
    private static let ledger = "kulanz:{audiobooks}:ledger"

    @Test(arguments: [
        (
            "support",
            [["XADD", lane, "*", "job", "{}"], ["PING"]],
            [
                ["XADD", "kulanz:{audiobooks}:jobs:other", "*", "job", "{}"], ["XADD", ledger, "*", "kind", "x"],
                ["XADD", "kulanz:{courses}:jobs:normal", "*", "job", "{}"], ["XRANGE", ledger, "-", "+"],
                ["XRANGE", lane, "-", "+"], ["XLEN", lane], ["XDEL", lane, "1-1"], ["XTRIM", lane, "MAXLEN", "0"],
                ["DEL", lane], ["HGETALL", "kulanz:{audiobooks}:job:x"], ["EVAL", "return 1", "0"],
                ["SUBSCRIBE", "kulanz:{audiobooks}:bell"], ["INFO"], ["KEYS", "*"],
            ]
        ),
        (
            "worker",
            [["XLEN", lane], ["HSET", "kulanz:fleet:workers", "w", "1"], ["HDEL", "kulanz:fleet:workers", "w"]],
            [
                ["FLUSHALL"], ["FLUSHDB"], ["CONFIG", "SET", "appendonly", "no"], ["CONFIG", "GET", "*"],
                ["KEYS", "*"],
                ["SHUTDOWN"], ["ACL", "LIST"], ["XADD", lane, "*", "job", "{}"],
                ["XDEL", ledger, "1-1"], ["DEL", ledger], ["DEL", "kulanz:{audiobooks}:job:x"], ["SET", "other", "x"],
                ["GET", "other"], ["PUBLISH", "other", "x"], ["SUBSCRIBE", "other"], ["SCRIPT", "FLUSH"],
                ["EVAL", "return redis.call('FLUSHALL')", "0"],
                ["EVAL", "return redis.call('DEL', KEYS[1] .. ':ledger')", "1", "kulanz:{audiobooks}"],
            ]
        ),
        (
            "operator",
            [
                ["HGETALL", "kulanz:fleet:workers"], ["XRANGE", ledger, "-", "+"],
                ["XLEN", "kulanz:{audiobooks}:dead"],
            ],
            [
                ["FLUSHALL"], ["CONFIG", "GET", "*"], ["KEYS", "*"], ["SCAN", "0"],
                ["HDEL", "kulanz:fleet:workers", "w"],
                ["ZADD", "kulanz:{audiobooks}:leases", "1", "x"], ["DEL", "kulanz:{audiobooks}:gate:refunds:log"],
                ["RPUSH", "kulanz:{audiobooks}:gate:refunds:log", "1"], ["XDEL", ledger, "1-1"],
                ["XADD", "kulanz:{audiobooks}:access", "*", "kind", "end"], ["SUBSCRIBE", "kulanz:{audiobooks}:bell"],
                ["SADD", "kulanz:{audiobooks}:held", "x"],
            ]
        ),
        (
            "gateway",
            [
                ["XRANGE", ledger, "-", "+"], ["XADD", "kulanz:{audiobooks}:inbox", "*", "signedPayload", "x"],
                ["ZADD", "kulanz:{audiobooks}:seen", "1", "x"],
            ],
            [
                ["FLUSHALL"], ["CONFIG", "GET", "*"], ["KEYS", "*"], ["XDEL", "kulanz:{audiobooks}:dead", "1-1"],
                ["HSET", "kulanz:{audiobooks}:gate:refunds", "paused", "x"], ["XDEL", lane, "1-1"],
                ["ZADD", "kulanz:{audiobooks}:ready:urgent", "1", "x"], ["XDEL", ledger, "1-1"],
                ["XADD", "kulanz:{audiobooks}:dead", "*", "id", "x"],
            ]
        ),
    ])
    func `may do its own and nothing else`(user: String, allowed: [[String]], refused: [[String]]) async throws {
        try await withUsers { users in
            let client = try users.client(user)
            for words in allowed {
                let error = await failure(of: client, words)
                #expect(error == nil, "\(user): \(words)")
            }
            for words in refused {
                let error = await failure(of: client, words)
                #expect(error?.kind == .noPerm, "\(user): \(words): \(String(describing: error))")
            }
            await client.close()
        }
    }

    private func failure(of client: RedisClient, _ words: [String]) async -> RedisError? {
        do throws(RedisError) {
            _ = try await client.send(words.map { RedisWord($0) })
            return nil
        } catch {
            return error
        }
    }

    @Test func `who doesn't say who he is may do nothing`() async throws {
        try await withUsers { users in
            let stranger = RedisClient(loop: users.world.loop, endpoint: users.world.redis.endpoint)
            let error = await failure(of: stranger, ["PING"])
            #expect(error?.kind == .noAuth)
            await stranger.close()
            var anonymous = users.world
            anonymous.redisKeys = """
                url: "rediss://localhost:\(users.door.port)/3", caFile: "\(users.door.authority.caFile)"
                """
            let run = try await anonymous.line("kulanz apps list")
            #expect(run.exit == .code(78))
            #expect(run.text.contains("Redis asks for a password"))
        }
    }

    // MARK: A day with them

    @Test(.timeLimit(.minutes(5)))
    func `works as worker, operator, gateway and producer, over TLS in database 3, and lacks no right`() async throws {
        try await withUsers { shape in
            shape.leaseSeconds = 6
            shape.requestTimeoutSeconds = 3
            shape.requestsPerSecond = 20
            shape.retry = "maxAttempts: 3"
        } _: { users in
            let world = users.world
            let producer = try users.client("support")
            let asWorker = users.by("worker")
            let asOperator = users.by("operator")
            let queue = world.queue()
            func add(_ jobs: [TestJob]) async throws {
                for job in jobs {
                    _ = try await producer.send(["XADD", RedisWord(Self.lane), "*", "job", RedisWord(job.json)])
                }
            }
            func line(_ words: String, on world: ProgramWorld? = nil) async throws -> CommandWorld.Run {
                let run = try await (world ?? asOperator).line(words)
                #expect(run.exit == .code(0), "\(words): \(run.text)")
                return run
            }
            func isIdle(_ what: String) async throws {
                try await eventually("\(what) has ended") { try await queue.overview().isIdle }
            }
            let file = try asWorker.configuration("worker.json5")
            let victim = try await asWorker.worker(configuration: file)
            try await world.isAtWork(victim)

            // Accepted, answered by 500 and repeated, refused by Apple, blocked by a 429, written wrongly.
            try await add(TestJob.make(20))
            try await add([
                TestJob(id: "later", transaction: "1-500-x2"), TestJob(id: "no", transaction: "2-4000047"),
                TestJob(id: "limited", transaction: "3-429-x1"), TestJob(id: "bad", transaction: "not a transaction"),
            ])
            try await isIdle("the first batch")
            let accepted = try await queue.show("case.1")?.state
            let letters = try await queue.deadLetters().map(\.id).sorted()
            #expect(accepted == .accepted)
            #expect(letters.contains("no"))

            // A worker dies; another one takes over.
            let hanging = TestJob.make(2, from: 50, suffix: "-hang-after-x1")
            try await add(hanging)
            try await eventually("two are under way") { try await queue.overview().inFlight == 2 }
            let heir = try await asWorker.worker(configuration: file)
            try await world.isAtWork(heir)
            await pause(.seconds(3))
            await victim.kill(SIGKILL)
            try await isIdle("what the dead worker held")
            for job in hanging {
                let record = try await queue.show(job.id)
                #expect(record?.state == .accepted)
            }

            // People.
            _ = try await line("kulanz apps pause audiobooks --why 'a look' --as anna")
            try await add(TestJob.make(3, from: 60))
            let file2 = world.folder["jobs.jsonl"]
            try (TestJob.make(3, from: 70).map(\.json).joined(separator: "\n") + "\n").write(
                toFile: file2, atomically: true, encoding: .utf8)
            _ = try await line("kulanz enqueue \(file2)")
            _ = try await line("kulanz enqueue \(file2)", on: users.by("gateway"))
            _ = try await line("kulanz jobs withdraw case.70 --why 'thought better' --as anna")
            _ = try await line(
                "kulanz jobs withdraw --app audiobooks --requested-by nobody --since 1h --as anna --why x")
            for words in [
                "kulanz apps list", "kulanz status", "kulanz jobs show case.1", "kulanz jobs list --since 1h",
                "kulanz jobs list --state queued", "kulanz jobs list --transaction 2000000000000001",
                "kulanz dead list", "kulanz dead show no", "kulanz dead export",
            ] {
                _ = try await line(words)
                if !words.contains("dead export") { _ = try await line(words, on: users.by("gateway")) }
            }
            _ = try await line("kulanz apps resume audiobooks --why done --as anna")
            try await world.apple("")
            _ = try await line("kulanz dead redrive no --why 'try once more' --as anna --yes")
            _ = try await line("kulanz dead discard case.70 --why 'not wanted' --as anna --yes")
            try await isIdle("what people asked for")

            // The fleet itself pauses an app.
            try await world.apple(#"rules: [{ then: "4000135" }]"#)
            try await add(TestJob.make(5, from: 80))
            try await eventually("the app is paused") {
                let view = try await queue.overview()
                return view.paused != nil && view.inFlight == 0 && view.untoldAlarms == 0
            }

            await heir.stop()
            await producer.close()
            // This test's producer greets like a worker; other clients don't. Asking how Redis is set up is the one thing that a worker does without.
            let refusals = try await users.refusals()
            #expect(refusals.filter { !$0.hasPrefix("support ") } == ["worker config|get"])
            #expect(world.log.contains { $0.contains("may not ask whether Redis announces XADDs") })
            #expect(!world.log.contains { $0.contains("NOPERM") })
        }
    }

    @Test func `without any channel enqueues and settles all the same, and a raw XADD is found`() async throws {
        try await withUsers { users in
            for user in ["worker", "operator"] {
                _ = try await users.world.client.send(["ACL", "SETUSER", RedisWord(user), "resetchannels"])
            }
            let queue = users.world.queue()
            let asWorker = users.by("worker")
            let worker = try await asWorker.worker(configuration: asWorker.configuration("worker.json5"))
            try await users.world.isAtWork(worker)
            let producer = try users.client("support")
            let jobs = TestJob.make(4)
            for job in jobs.prefix(2) {
                _ = try await producer.send(["XADD", RedisWord(Self.lane), "*", "job", RedisWord(job.json)])
            }
            let file = users.world.folder["jobs.jsonl"]
            try jobs.dropFirst(2).map(\.json).joined(separator: "\n").write(
                toFile: file, atomically: true, encoding: .utf8)
            let run = try await users.by("operator").line("kulanz enqueue \(file)")
            #expect(run.exit == .code(0), "\(run.text)")
            for job in jobs {
                try await eventually("\(job.id) is accepted") { try await queue.show(job.id)?.state == .accepted }
            }
            let held = try await queue.heldJobs()
            #expect(held.isEmpty)
            #expect(users.world.log.contains { $0.contains("Redis refuses a channel") })
            await worker.stop()
            await producer.close()
        }
    }

    @Test func `that may ask how Redis is set up trusts its bells, those of database 3`() async throws {
        try await withUsers { users in
            _ = try await users.world.client.send(["ACL", "SETUSER", "worker", "+config|get"])
            let asWorker = users.by("worker")
            let worker = try await asWorker.worker(configuration: asWorker.configuration("worker.json5"))
            try await users.world.isAtWork(worker)
            try await eventually("it listens") {
                let clients = try await users.world.client.send(["CLIENT", "LIST", "TYPE", "pubsub"]).string ?? ""
                return clients.contains("sub=3 ") && clients.contains("ssub=1 ")
            }
            // Whoever listens looks once for what came before; that look is over.
            await pause(.seconds(1))
            let producer = try users.client("support")
            let job = TestJob.make(1)[0]
            _ = try await producer.send(["XADD", RedisWord(Self.lane), "*", "job", RedisWord(job.json)])
            // The next sweep is ten seconds away.
            try await eventually("the bell rings", within: .seconds(8)) {
                try await users.world.queue().show(job.id)?.state == .accepted
            }
            #expect(!users.world.log.contains { $0.contains("reading the lanes") })
            await worker.stop()
            await producer.close()
        }
    }

    // MARK: Wrong settings

    @Test func `with wrong settings ends with a sentence and the code that says whose move it is`() async throws {
        try await withUsers { users in
            let door = users.door
            let stranger = try await TestAuthority("stranger", in: door.folder)
            var wrongPassword = users.by("operator")
            wrongPassword.redisKeys = """
                url: "rediss://operator:wrong@localhost:\(door.port)/3", caFile: "\(door.authority.caFile)"
                """
            var plain = users.by("operator")
            plain.redisKeys = #"url: "redis://localhost:\#(door.port)/3""#
            var nobody = users.by("operator")
            nobody.redisKeys = #"url: "rediss://localhost:1", caFile: "\#(door.authority.caFile)""#
            for (world, code, words) in [
                (users.by("operator", caFile: stranger.caFile), 78, "comes from “CN=Test authority”, whom"),
                (users.by("operator", host: "127.1"), 78, "isn't for 127.1 but for DNS:localhost"),
                (users.by("operator", caFile: "/nowhere.pem"), 78, "redis.caFile (line 1): there is no readable file"),
                (wrongPassword, 78, "refuses the user name or password"),
                (plain, 69, "if this port speaks TLS, write rediss://"),
                (nobody, 69, "Connection refused"),
            ] as [(ProgramWorld, Int32, String)] {
                let run = try await world.line("kulanz apps list")
                #expect(run.exit == .code(code), "\(run.text)")
                #expect(run.text.contains(words), "\(run.text)")
                #expect(run.output.isEmpty)
            }
            // A worker waits for better times, says why, and ends when it is told to.
            let lost = users.by("worker", caFile: stranger.caFile)
            let worker = try await lost.worker(configuration: lost.configuration("lost.json5"))
            try await eventually("it says why") { lost.log.contains { $0.contains("comes from “CN=Test authority”") } }
            await worker.stop()
        }
    }
}
