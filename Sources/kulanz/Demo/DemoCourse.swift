import AppStoreSimulator
import EventLoop
import Foundation
import Lifecycle
import Queue
import Redis
import Refunds

/// One day from its first job to its summary: starts the processes, adds the jobs, kills a worker, waits, counts.
actor DemoCourse {
    private let day: DemoDay
    private let pace: DemoPace
    private let stage: DemoStage
    private let queues: [DemoApp: JobQueue]
    private let domain: LoopDomain
    /// Whether the processes stay up behind the summary.
    private let keepsRunning: Bool
    private let started = ContinuousClock.now

    private var live = LiveLine()
    private var journal: JournalFollower
    private var workers: [ChildProcess] = []
    private var kill: DemoKill?
    /// Jobs of the apps that can send which are in the queue by now.
    private var added = 0
    private var hasSaidOwned = false
    private var hasSaidPaused = false

    static let workerCount = 4
    private static let liveApps = DemoApp.allCases.filter { !$0.hasLapsed }

    init(day: DemoDay, pace: DemoPace, stage: DemoStage, keepsRunning: Bool) {
        self.day = day
        self.pace = pace
        self.stage = stage
        self.keepsRunning = keepsRunning
        queues = Dictionary(
            uniqueKeysWithValues: DemoApp.allCases.map {
                ($0, JobQueue(app: $0.name, environment: .production, redis: stage.client))
            })
        domain = LoopDomain(stage.loop)
        journal = JournalFollower(stage.files.journal)
    }

    func run() async throws -> DemoReport {
        defer { live.clear() }
        let (simulator, port) = try await begin()
        let opening = ContinuousClock.now
        async let campaign = runCampaign()
        async let byHand: Void = addByHand(since: opening)
        let isSettled = try await watch(since: opening)
        live.clear()
        try await byHand
        let answers = try await campaign
        if !keepsRunning { await endWorkers() }
        let census = try await DemoCensus(of: day, queues)
        if !keepsRunning { await simulator.stop(within: .seconds(3)) }
        return DemoReport(
            day: day, journal: try readJournal(), census: census, kill: kill, campaign: answers, isSettled: isSettled,
            port: port,
            seconds: ContinuousClock.now - started)
    }

    private func readJournal() throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: stage.files.journal)))
    }

    // MARK: Beginning

    private func begin() async throws -> (ChildProcess, UInt16) {
        try stage.files.write(day)
        async let redis: Void = stage.redis.start()
        let (simulator, port) = try await stage.startSimulator()
        try await redis
        try stage.files.writeConfig(port: port, pace: pace)
        live.say("a private Redis and Apple's simulator answer, in \(stage.files.folder)")
        for number in 1...Self.workerCount { workers.append(try await stage.startWorker(number)) }
        let byHand = day.jobs.count { $0.way == .xadd } + day.entries.count
        live.say(
            "\(Self.workerCount) workers start; \(byHand) entries come by XADD, \(day.campaign.count) lines by kulanz enqueue"
        )
        return (simulator, port)
    }

    /// What producers do in any language: one XADD for each job.
    private func addByHand(since opening: ContinuousClock.Instant) async throws {
        var moments: [Duration: [[RedisWord]]] = [:]
        for job in day.jobs where job.way == .xadd {
            let lane = queues[job.app]?.keys.lane(job.lane) ?? ""
            moments[job.moment, default: []].append(["XADD", RedisWord(lane), "*", "job", RedisWord(job.text)])
        }
        for entry in day.entries {
            let lane = queues[entry.app]?.keys.lane(entry.lane) ?? ""
            moments[entry.moment, default: []].append(
                ["XADD", RedisWord(lane), "*", RedisWord(entry.field), RedisWord(entry.value)])
        }
        for (moment, commands) in moments.sorted(by: { $0.key < $1.key }) {
            try await domain.sleep(for: max(.zero, moment - (ContinuousClock.now - opening)))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for command in commands { group.addTask { [stage] in _ = try await stage.client.send(command) } }
                try await group.waitForAll()
            }
            added += day.jobs.count { $0.way == .xadd && $0.moment == moment && !$0.app.hasLapsed }
        }
    }

    private func runCampaign() async throws -> DemoReport.Campaign {
        let child = try await stage.start(
            ["enqueue", stage.files.campaign, "--json", "--config", stage.files.config], name: "enqueue",
            output: .lines)
        var campaign = DemoReport.Campaign()
        for await line in child.output {
            let before = campaign.enqueued
            campaign.count(line)
            added += campaign.enqueued - before
        }
        guard case .code(let code) = await child.exit, code == 0 || code == 65 else {
            throw DemoFailure("kulanz enqueue failed. \(stage.lastWords(of: "enqueue"))")
        }
        return campaign
    }

    // MARK: Watching

    /// Returns once nothing is left that a worker could send, true, or when the time is over, false.
    private func watch(since opening: ContinuousClock.Instant) async throws -> Bool {
        let lastMoment = (day.jobs.map(\.moment) + day.entries.map(\.moment)).max() ?? .zero
        var turn = 0
        var calm = 0
        while ContinuousClock.now - started < pace.limit {
            try await domain.sleep(for: .milliseconds(100))
            journal.read()
            let time = ContinuousClock.now - opening
            try await tendToKill(at: time)
            turn += 1
            guard turn.isMultiple(of: 3) else { continue }
            try await checkWorkers()
            let added = added
            let overviews = try await overviews()
            showProgress(overviews, added: added)
            // Twice in a row: an overview is no snapshot, and a job may move while it is taken.
            calm = time > lastMoment + .seconds(1) && isSettled(overviews) ? calm + 1 : 0
            if calm >= 2, kill?.isOver ?? false { return true }
        }
        return false
    }

    private func overviews() async throws -> [DemoApp: AppOverview] {
        var overviews: [DemoApp: AppOverview] = [:]
        for (app, queue) in queues { overviews[app] = try await queue.overview() }
        return overviews
    }

    private func isSettled(_ overviews: [DemoApp: AppOverview]) -> Bool {
        overviews.allSatisfy { app, overview in
            app.hasLapsed
                ? overview.paused != nil && overview.inFlight == 0 : overview.isIdle && overview.followers == 0
        }
    }

    private func checkWorkers() async throws {
        for (index, worker) in workers.enumerated() where index + 1 != kill?.worker {
            guard await !worker.isRunning else { continue }
            throw DemoFailure(
                "worker \(index + 1) ended by itself (\(await worker.exit)). "
                    + stage.lastWords(of: "worker-\(index + 1)"))
        }
    }

    private func showProgress(_ overviews: [DemoApp: AppOverview], added: Int) {
        var open = 0
        var dead = 0
        for (app, overview) in overviews {
            dead += overview.dead
            if !app.hasLapsed {
                open += overview.lanes.values.reduce(0, +) + overview.inFlight + overview.later + overview.followers
            }
        }
        if !hasSaidPaused, let overview = overviews.first(where: { $0.value.paused != nil }) {
            hasSaidPaused = true
            // What to do about it is the summary's part.
            let what = overview.value.paused?.why.split(separator: ";").first ?? ""
            live.say("\(overview.key.name) is paused: \(what)")
        }
        let all = day.jobs.count { !$0.app.hasLapsed }
        live.show(
            done: max(0, added - open), of: all,
            [
                "\(journal.arrivals) sent", "\(journal.accepted) accepted", "\(journal.repeats) repeated",
                "\(dead) dead letters",
            ])
    }

    // MARK: The kill

    private func tendToKill(at time: Duration) async throws {
        guard var kill else {
            if time >= pace.killFrom { try await killOne(isAnyoneGood: time >= pace.killUntil) }
            return
        }
        for holding in kill.open {
            if let record = try await queues[holding.app]?.show(holding.id) { kill.see(record) }
        }
        self.kill = kill
        if !hasSaidOwned, let time = kill.sentAgainAfter {
            hasSaidOwned = true
            live.say("what it held was sent again by others, \(time.inSeconds) later")
        }
    }

    /// Kills a worker that waits for an answer which will never come: the worst moment there is, for Apple has taken
    /// that refund and nobody but the dead knows that it was sent.
    private func killOne(isAnyoneGood: Bool) async throws {
        var held: [String: [DemoKill.Holding]] = [:]
        for app in Self.liveApps {
            guard let queue = queues[app] else { continue }
            for id in try await queue.jobs(in: .sending, limit: 64) {
                guard let worker = try await queue.show(id)?.worker else { continue }
                held[worker, default: []].append(DemoKill.Holding(app: app, id: id))
            }
        }
        let silent = Set(day.jobs.filter { $0.incident == .processedThenSilent }.map(\.id))
        let taken = Set(day.jobs.filter { journal.takenTransactions.contains($0.job.transactionId) }.map(\.id))
        let candidates = held.filter {
            isAnyoneGood || $0.value.contains { silent.contains($0.id) && taken.contains($0.id) }
        }
        guard let (name, holdings) = candidates.max(by: { $0.value.count < $1.value.count }),
            let index = workers.firstIndex(where: { Self.pid(in: name) == $0.pid }),
            let now = try await queues[.audiobooks]?.now()
        else { return }
        await workers[index].kill(SIGKILL)
        kill = DemoKill(
            worker: index + 1, name: name, at: now / 1000, held: holdings,
            taken: taken.intersection(holdings.map(\.id)))
        let jobs = holdings.count == 1 ? "a job" : "\(holdings.count) jobs"
        live.say("worker \(index + 1) is killed with -9 while it sends \(jobs)")
    }

    /// A worker's name is host, process and salt.
    private static func pid(in name: String) -> Int32? {
        name.split(separator: "-").dropLast().last.flatMap { Int32($0) }
    }

    // MARK: Ending

    private func endWorkers() async {
        await withTaskGroup(of: Void.self) { group in
            for worker in workers { group.addTask { await worker.stop(within: .seconds(2.5)) } }
        }
    }
}
