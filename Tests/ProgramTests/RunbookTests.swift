import AppStoreSimulator
import Foundation
import Lifecycle
import Queue
import Redis
import Refunds
import TestSupport
import Testing

/// Each runbook is followed against a fleet in the state that it is about, command by command as they stand there.
@Suite struct `A runbook` {
    @Test(.timeLimit(.minutes(5)), arguments: Title.allCases)
    func `works, every command of it, in the state that it is for`(_ title: Title) async throws {
        let book = try Runbook(title)
        switch title {
        case .addendumLapsed: try await followAddendumLapsed(book)
        case .appleDown: try await followAppleDown(book)
        case .jobsThatNeverArrive: try await followJobsThatNeverArrive(book)
        case .deadLettersRising: try await followDeadLettersRising(book)
        case .nothingLeaves: try await followNothingLeaves(book)
        case .rateLimited: try await followRateLimited(book)
        case .redisLost: try await followRedisLost(book)
        case .scalingAndDraining: try await followScalingAndDraining(book)
        case .stopACampaign: try await followStopACampaign(book)
        }
        #expect(await book.unread == [], "blocks that nobody has tried")
    }

    @Test func `has the four parts, is in the list, and says each command where a test finds it`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Runbook.folder.path).filter {
            $0.hasSuffix(".md") && $0 != "README.md"
        }
        #expect(Set(files) == Set(Title.allCases.map { $0.rawValue + ".md" }))
        let list = try String(contentsOf: Runbook.folder.appending(path: "README.md"), encoding: .utf8)
        #expect(!list.contains("```"))
        for file in files {
            let text = try String(contentsOf: Runbook.folder.appending(path: file), encoding: .utf8)
            let lines = text.split(separator: "\n")
            #expect(
                lines.filter { $0.hasPrefix("## ") } == ["## Symptom", "## Look", "## Act", "## Verify"], "\(file)")
            #expect(list.contains("(\(file))"), "\(file)")
            #expect(lines.filter { $0.hasPrefix("```") && $0 != "```" && $0 != "```sh" } == [], "\(file)")
            #expect(lines.filter { $0.hasPrefix("    kulanz ") } == [], "\(file)")
        }
    }

    enum Title: String, CaseIterable {
        case addendumLapsed = "addendum-lapsed"
        case appleDown = "apple-down"
        case deadLettersRising = "dead-letters-rising"
        case jobsThatNeverArrive = "jobs-that-never-arrive"
        case nothingLeaves = "nothing-leaves"
        case rateLimited = "rate-limited"
        case redisLost = "redis-lost"
        case scalingAndDraining = "scaling-and-draining"
        case stopACampaign = "stop-a-campaign"
    }

    // MARK: The states, and what the pages promise

    private func followAddendumLapsed(_ book: Runbook) async throws {
        try await withProgram {
            $0.scenario = #"rules: [{ then: "4000135" }]"#
        } _: { world in
            let jobs = TestJob.make(20)
            try await world.add(jobs)
            _ = try await world.workers(1)
            let queue = world.queue()
            try await eventually("the fleet pauses the app and nothing is under way") {
                let view = try await queue.overview()
                return view.paused != nil && view.inFlight == 0
            }
            try await world.hasLogged("App audiobooks is paused and sends nothing")
            let look = try await book.block(1, in: world)
            #expect(look[0].text.contains("paused since"))
            #expect(look[0].text.contains("by fleet: operationNotAllowed"))
            #expect(look[0].text.contains("OperationNotAllowedError"))
            let view = try #require(try await book.block(2, in: world)[0].objects.first)
            let waiting = (view["lanes"] as? [String: Int] ?? [:]).values.reduce(0, +)
            let dead = try #require(view["dead"] as? Int)
            #expect(dead >= 3)
            #expect(waiting + dead == jobs.count)

            try await world.apple("")
            let resumed = try await book.block(3, in: world)[0]
            #expect(resumed.output == ["audiobooks  sending again"])
            let named = try #require(resumed.errors.first { $0.contains("kulanz dead redrive") })
            #expect(try await world.line(named).exit == .code(0))
            #expect(try await book.block(4, in: world)[0].state == "sending")
            try await world.isDone(jobs)
            try await world.hasLogged("All clear: app audiobooks sends again")
        }
    }

    private func followAppleDown(_ book: Runbook) async throws {
        try await withProgram {
            $0.scenario = #"rules: [{ then: "503" }]"#
        } _: { world in
            let jobs = TestJob.make(8)
            try await world.add(jobs)
            let worker = try await world.workers(1)[0]
            let name = try #require(try await world.name(ofWorker: worker.pid))
            try await eventually("the gate closes") { try await world.queue().overview().nextProbe != nil }
            try await world.hasLogged("Apple gives app audiobooks no answer that says anything")
            let look = try await book.block(1, in: world)
            #expect(look[0].state?.hasPrefix("Apple is down; next probe ") == true)
            #expect(look[1].output.dropFirst().isEmpty == false)
            #expect(look[1].output.dropFirst().allSatisfy { $0.contains("case.") && $0.contains("  unclear  ") })
            let status = try await book.block(2, in: world)[0].text
            #expect(status.contains("audiobooks: Apple is down; next probe in "))
            #expect(status.contains(name))

            try await world.apple("")
            try await world.isDone(jobs)
            try await world.hasLogged("All clear: Apple answers app audiobooks again")
            #expect(try await book.block(3, in: world)[0].state == "sending")
        }
    }

    private func followDeadLettersRising(_ book: Runbook) async throws {
        try await withProgram {
            $0.retry = "maxAttempts: 3"
        } _: { world in
            // A fault's name at the end of a transaction asks the simulator for it.
            let jobs = [
                TestJob(id: "case-4711", transaction: "2000000000004711-4000132-x1"),
                TestJob(id: "case-4712", transaction: "2000000000004712-4000122"),
                TestJob(id: "case-4713", transaction: "2000000000004713-503-always"),
                TestJob(id: "case-4714", transaction: "2000000000004714-4040010-x1"),
                TestJob(id: "case-4715", transaction: "2000000000004715-4040010-x1"),
            ]
            try await world.add(jobs)
            _ = try await world.workers(1)
            try await eventually("all five are dead letters") { try await world.queue().overview().dead == 5 }
            let mended = TestJob(id: "case-4716", transaction: "2000000000004716")
            for json in [
                mended.json.replacing(#""refundType":"CUSTOM""#, with: #""refundType":"CUSTOMS""#),
                TestJob(id: "case-4711", transaction: "2000000000009999").json,
            ] {
                _ = try await world.client.send(["XADD", "kulanz:{audiobooks}:jobs:normal", "*", "job", .init(json)])
            }
            try await eventually("both entries are letters") { try await world.queue().overview().dead == 7 }

            let look = try await book.block(1, in: world)
            #expect(look[0].text.contains("audiobooks"))
            for id in jobs.map(\.id) { #expect(look[1].output.contains { $0.hasPrefix("\(id) ") }, "\(id)") }
            #expect(look[1].text.contains("outcomeUnknown (open)"))
            let counts = try await book.block(2, in: world)[0].output.map {
                $0.split(separator: " ").joined(separator: " ")
            }
            #expect(
                counts.sorted() == [
                    #"1 "reason":"conflict""#, #"1 "reason":"invalid""#, #"1 "reason":"outcomeUnknown""#,
                    #"4 "reason":"rejected""#,
                ])
            let one = try await book.block(3, in: world)
            #expect(one[0].text.contains("4000132 InvalidAmountError"))
            #expect(one[1].text.contains("state        dead"))

            let act = try await book.block(4, in: world)
            #expect(act[0].text.contains("queued again"))
            #expect(act[1].text.contains("case-4712  discarded"))
            let entries = try await book.block(5, in: world)
            #expect(entries[0].errors == ["1 letter in mend.jsonl"])
            #expect(entries[2].text.contains("1 enqueued, 0 known already, 0 refused"))
            #expect(entries[3].text.contains("1 discarded, 0 left"))
            // As the page says, an open one is not closed without a finding.
            let without = try await world.line("kulanz dead discard case-4713 --why 'no finding'")
            #expect(without.exit == .code(65))
            #expect(try await book.block(6, in: world)[0].text.contains("case-4713  discarded"))
            #expect(try await book.block(7, in: world)[0].text.contains("2 redriven, 0 left"))
            #expect(try await book.block(8, in: world)[0].errors == ["1 letter in dead.csv"])
            try await eventually("what was mended is accepted") {
                try await world.books([jobs[0], jobs[3], jobs[4], mended]).states == [.accepted: 4]
            }
            let verify = try await book.block(9, in: world)
            #expect(verify[0].state == "sending")
            #expect(verify[1].output.count == 2)
            #expect(verify[1].text.contains("conflict"))
            let record = try #require(try await world.queue().show("case-4711"))
            #expect(record.job?.request.items.first?.refundAmount == 2500)
        }
    }

    private func followJobsThatNeverArrive(_ book: Runbook) async throws {
        try await withProgram { world in
            let door = Relay(.tcp, to: world.folder["redis.sock"])
            defer { door.stop() }
            let url = ["REDIS_URL": "redis://127.0.0.1:\(door.port)"]
            let wrong: RedisWord = "kulanz:{audiobook}:jobs:normal"
            let lost = TestJob.make(3)
            // As producers write them: the stream's name says the app.
            for job in lost {
                let json = job.json.replacing(#""app":"audiobooks","#, with: "")
                _ = try await world.client.send(["XADD", wrong, "*", "job", RedisWord(json)])
            }
            try await world.add(TestJob.make(2, from: 11))
            _ = try await world.client.send(["XTRIM", "kulanz:{audiobooks}:jobs:normal", "MAXLEN", "1"])
            _ = try await world.workers(1)
            try await world.hasLogged("No worker reads the stream kulanz:{audiobook}:jobs:normal")
            try await world.hasLogged("Somebody deleted from kulanz:{audiobooks}:jobs:normal")
            let look = try await book.block(1, in: world)[0]
            #expect(look.output.contains { $0.hasPrefix("kulanz:{audiobook}:jobs:normal") && $0.contains("  3  ") })
            #expect(
                look.output.contains(
                    "deleted by others before a worker read it: 1 of kulanz:{audiobooks}:jobs:normal"))
            let machine = try await world.line("kulanz apps list --json").objects
            #expect(machine.first?["deletedEntries"] as? [String: Int] == ["normal": 1])
            #expect(machine.last?["unknown"] as? Bool == true)
            #expect(machine.last?["meantFor"] as? String == "audiobooks")

            let act = try await book.block(2, in: world, variables: url)
            #expect(act[0].text.contains("3 enqueued"))
            try await world.isDone(lost)
            let verify = try await book.block(3, in: world)[0]
            #expect(!verify.text.contains("{audiobook}"))
            #expect(verify.text.contains("read it: 1 of"))
        }
    }

    private func followNothingLeaves(_ book: Runbook) async throws {
        try await withProgram { world in
            // One whose answer could not be read, one behind it, and three that nobody serves.
            let first = TestJob(id: "case-4710", transaction: "2000000000004710-garbage-always")
            let second = TestJob(id: "case-4711", transaction: first.transaction, sku: "audiobook.4712")
            let others = TestJob.make(3)
            try await world.add([first])
            #expect(try await world.workUntilIdle() == .code(0))
            try await world.add([second])
            #expect(try await world.workUntilIdle() == .code(0))
            try await world.add(others)
            let look = try await book.block(1, in: world)
            #expect(look[0].state == "sending")
            #expect(look[0].output.last?.contains("     0       3     0 ") == true)
            #expect(look[1].text.contains("no worker is alive"))
            let lists = try await book.block(2, in: world)
            #expect(lists[0].errors == ["no such jobs"])
            #expect(lists[1].output.count == 2)
            #expect(lists[1].text.contains("case-4710"))
            #expect(try await book.block(3, in: world)[0].output.contains("waits for    case-4710"))
            let worker = try await book.block(4, in: world)[0]
            #expect(worker.errors.isEmpty == false)
            #expect(try await book.block(5, in: world)[0].output.last?.contains("     0       0     0 ") == true)
            #expect(try await world.books(others).states == [.accepted: 3])
        }
    }

    private func followRateLimited(_ book: Runbook) async throws {
        try await withProgram {
            $0.scenario = #"rules: [{ times: 1, then: { word: "429", retryAfterMs: 25000 } }]"#
        } _: { world in
            let jobs = TestJob.make(12)
            try await world.add(jobs)
            _ = try await world.workers(1)
            try await eventually("the app is blocked") { try await world.queue().overview().blockedUntil != nil }
            #expect(try await book.block(1, in: world)[0].state?.hasPrefix("blocked by Apple until ") == true)
            try await world.hasLogged("with 429 although the gate kept its rate")
            let act = try await book.block(2, in: world)
            #expect(act[0].output == ["audiobooks  paused; what is under way comes to its end"])
            #expect(act[1].output == ["audiobooks  sending again"])
            try await world.isDone(jobs)
            #expect(try await book.block(3, in: world)[0].state == "sending")
        }
    }

    private func followRedisLost(_ book: Runbook) async throws {
        try await withProgram {
            $0.scenario = "latencyMs: 300"
        } _: { world in
            let door = Relay(.tcp, to: world.folder["redis.sock"])
            defer { door.stop() }
            let url = ["REDIS_URL": "redis://127.0.0.1:\(door.port)"]
            let worker = try await world.workers(1)[0]
            let jobs = TestJob.make(30)
            try await world.add(jobs)
            try await eventually("requests are under way") { await world.simulator.entries.count >= 5 }
            await world.redis.kill9()
            try await world.hasLogged("no permits from Redis")
            #expect(try await world.line("kulanz apps list").exit == .code(69))
            try await book.block(1, in: world, exit: 1, variables: url)

            try await world.redis.start()
            let look = try await book.block(1, in: world, variables: url)
            #expect(look[0].output == ["PONG"])
            #expect(look[1].text.contains("aof_enabled:1"))
            #expect(look[1].text.contains("aof_last_write_status:ok"))
            let name = try #require(try await world.name(ofWorker: worker.pid))
            let verify = try await book.block(2, in: world)
            #expect(verify[0].state == "sending")
            #expect(verify[1].text.contains(name))
            try await world.isDone(jobs)
        }
    }

    private func followScalingAndDraining(_ book: Runbook) async throws {
        try await withProgram {
            $0.scenario = "latencyMs: 2500"
        } _: { world in
            let workers = try await world.workers(2)
            var names: [String] = []
            for worker in workers { names.append(try #require(try await world.name(ofWorker: worker.pid))) }
            let jobs = TestJob.make(100)
            try await world.add(jobs)
            try await eventually("requests are under way") { await world.simulator.entries.count >= 5 }
            let look = try await book.block(1, in: world)
            #expect(look[0].state == "sending")
            #expect(look[1].text.contains("2 workers"))
            #expect(look[1].text.contains("audiobooks/case."))
            for name in names { #expect(look[1].text.contains(name)) }

            await workers[0].kill(SIGTERM)
            #expect(await workers[0].exit == .code(0))
            #expect(try await world.books(jobs).lostAttempts == 0, "a drained worker leaves nothing to be taken over")
            try await book.block(2, in: world)
            let verify = try await book.block(3, in: world)
            #expect(verify[0].text.contains("1 worker"))
            #expect(!verify[0].text.contains(names[0]))
            #expect(verify[0].text.contains(names[1]))
            #expect(verify[1].state == "sending")
            try await world.isDone(jobs)
        }
    }

    private func followStopACampaign(_ book: Runbook) async throws {
        try await withProgram { world in
            var campaign = TestJob.make(60)
            let agents = TestJob.make(3, from: 101)
            let lines =
                campaign.map {
                    $0.json.replacing(#"{"id""#, with: #"{"requestedBy":"campaign-7","priority":"bulk","id""#)
                } + agents.map(\.json)
            try lines.joined(separator: "\n").write(
                toFile: world.folder["jobs.jsonl"], atomically: true, encoding: .utf8)
            #expect(try await world.line("kulanz enqueue jobs.jsonl").exit == .code(0))
            _ = try await world.workers(1)
            try await eventually("some have left") { await world.simulator.entries.count >= 5 }
            #expect(try await book.block(1, in: world)[0].text.contains("paused"))
            let queue = world.queue()
            try await eventually("nothing is under way") { try await queue.overview().inFlight == 0 }
            // A producer that nobody has told goes on adding, past the command and past any worker.
            let late = TestJob.make(30, from: 201)
            for job in late {
                let json = job.json.replacing(#"{"id""#, with: #"{"requestedBy":"campaign-7","id""#)
                _ = try await world.client.send(["XADD", "kulanz:{audiobooks}:jobs:bulk", "*", "job", .init(json)])
            }
            campaign += late
            let gone = try await world.books(campaign).states[.accepted] ?? 0
            let look = try await book.block(2, in: world)
            #expect(look[0].output.count == campaign.count - gone)
            #expect(look[0].output.allSatisfy { $0.hasSuffix("would be withdrawn") })
            #expect(look[1].output.dropFirst().count { $0.hasPrefix("case.") } >= gone)
            let act = try await book.block(3, in: world)
            #expect(act[0].output.count == campaign.count - gone)
            #expect(act[0].output.allSatisfy { $0.hasSuffix("  withdrawn") })
            #expect(act[1].output == ["audiobooks  sending again"])
            #expect(try await book.block(4, in: world)[0].text.contains("\(campaign.count - gone) discarded, 0 left"))
            let verify = try await book.block(5, in: world)
            #expect(verify[0].state == "sending")
            try await world.isDone(agents)
            #expect(try await world.books(campaign).states == [.accepted: gone, .discarded: campaign.count - gone])
        }
    }
}

/// A page and which of its blocks were tried.
private actor Runbook {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "runbooks")

    /// The command lines of each block, those that end with a backslash joined with the next.
    let blocks: [[String]]
    private var read: Set<Int> = []

    init(_ title: `A runbook`.Title) throws {
        let text = try String(contentsOf: Self.folder.appending(path: title.rawValue + ".md"), encoding: .utf8)
        var blocks: [[String]] = []
        var isInside = false
        for line in text.replacing("\\\n", with: " ").split(separator: "\n", omittingEmptySubsequences: true) {
            if isInside, line == "```" {
                isInside = false
            } else if isInside {
                blocks[blocks.count - 1].append(String(line))
            } else if line == "```sh" {
                isInside = true
                blocks.append([])
            }
        }
        self.blocks = blocks
    }

    /// The numbers of the blocks that were never run.
    var unread: [Int] { (1...max(1, blocks.count)).filter { !read.contains($0) } }

    /// Runs the lines of the n-th block one after another.
    @discardableResult
    func block(
        _ number: Int, in world: ProgramWorld, exit: Int32 = 0, variables: [String: String] = [:],
        at place: SourceLocation = #_sourceLocation
    ) async throws -> [CommandWorld.Run] {
        try #require(blocks.indices.contains(number - 1), "there is no block \(number)", sourceLocation: place)
        read.insert(number)
        var runs: [CommandWorld.Run] = []
        for line in blocks[number - 1] {
            let run = try await world.line(line, variables: variables)
            #expect(run.exit == .code(exit), "\(line)\n\(run.text)", sourceLocation: place)
            runs.append(run)
        }
        return runs
    }
}

extension CommandWorld.Run {
    /// What the last column of a table that `apps list` printed says, for its one app.
    fileprivate var state: String? {
        guard output.count == 2, let column = output[0].range(of: "STATE") else { return nil }
        return String(output[1].dropFirst(output[0].distance(from: output[0].startIndex, to: column.lowerBound)))
    }
}

extension ProgramWorld {
    fileprivate func hasLogged(_ words: String) async throws {
        try await eventually("“\(words)” is logged") { log.contains { $0.contains(words) } }
    }

    /// Returns once all are accepted, each paid once.
    fileprivate func isDone(_ jobs: [TestJob]) async throws {
        try await eventually("all jobs are accepted", within: .seconds(120)) {
            guard try await books(jobs).states == [.accepted: jobs.count] else { return false }
            return try await queue().overview().isIdle
        }
        #expect(try await books(jobs).breaches == [])
    }
}
