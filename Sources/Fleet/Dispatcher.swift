import AppStore
import EventLoop
import Queue
import Refunds
import Telemetry

/// Drives one app: asks for jobs when something rings or a time has come, and sees each through.
///
/// It runs on the loop's thread, like the connections it uses: from the answer of `lease` to the first byte of the
/// request nothing changes threads.
actor Dispatcher {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    nonisolated let app: FleetApp

    private let options: WorkerOptions
    private let crew: Crew
    private let judge: EntryJudge
    private let token: ProviderToken
    private let settlements: Settlements
    private let log: Log

    private var held: [String: Held] = [:]
    private var isLeasing = false
    private var wasRung = false
    private var isQuiet = false
    private var isTelling = false
    private var timer: LoopTimer?
    private var failures = 0
    /// Whether a call of `lease` may have been carried out whose answer never came.
    private var mayHoldUnseen = false
    private var solitudeUntil = ContinuousClock.now
    private var standsDownUntil: ContinuousClock.Instant?
    private var failedConnections = 0
    /// Sends in a row whose permit was too old: this process or its connections are slow, so it asks less eagerly.
    private var lateInARow = 0
    private var restsUntil: ContinuousClock.Instant?
    private var missing: [String: Int] = [:]
    /// The last token that Apple answered with 401, until another answer came.
    private var refusedToken: Secret<String>?
    private var clock = RedisClock()
    /// Whether the last reading showed that the clock was set forward, which the gate doesn't know yet.
    private var sawStep = false
    private(set) var pausedFor: String?

    private struct Held {
        let job: LeasedJob
        let permit: Permit
        let task: Task<Void, Never>
    }

    init(loop: EventLoop, app: FleetApp, token: ProviderToken, options: WorkerOptions, crew: Crew, log: Log) {
        self.loop = loop
        self.app = app
        self.token = token
        self.options = options
        self.crew = crew
        self.log = log.carrying(["app": app.name])
        judge = EntryJudge(app.rules)
        settlements = Settlements(queue: app.queue, loop: loop)
    }

    // MARK: Ringing

    /// Something may be there to send.
    func ring() {
        guard !isQuiet else { return crew.changed() }
        guard !standsDown else { return }
        if let rest = restsUntil {
            let left = rest - ContinuousClock.now
            if left > .zero { return wake(after: left) }
            restsUntil = nil
        }
        guard !isLeasing else {
            wasRung = true
            return
        }
        isLeasing = true
        timer = nil
        Task { await lease() }
    }

    /// Takes no new work from here on.
    func quiet() {
        isQuiet = true
        timer = nil
    }

    /// Ends what is still under way; each send is recorded as what it then is.
    func cancel() { for held in held.values { held.task.cancel() } }

    var isBusy: Bool { !held.isEmpty || isLeasing || isTelling }
    var heldJobs: [(id: String, fence: String)] { held.values.map { ($0.job.id, $0.job.fence) } }

    // MARK: Standing down

    /// After so many sends in a row that could not connect, the fault is more likely this host's than Apple's.
    private static let connectionsThatMayFail = 5

    /// Leaves the app to the others for a while, if there are any: this host seems to be the one at fault.
    private func standDown(_ why: String) {
        guard crew.hasOthers(for: app.name, than: options.name), !standsDown else { return }
        standsDownUntil = .now + options.standDown
        log(.warning, "standing down for this app", ["why": why, "for": "\(options.standDown)"])
        timer = loop.after(options.standDown) { [weak self] in self?.assumeIsolated { $0.ring() } }
    }

    private var standsDown: Bool {
        guard let until = standsDownUntil else { return false }
        if ContinuousClock.now >= until { standsDownUntil = nil }
        return standsDownUntil != nil
    }

    private func noteConnection(_ reply: AppStoreReply) {
        guard case .unsent = reply.answer, !reply.wasRefused else {
            failedConnections = 0
            return
        }
        failedConnections += 1
        if failedConnections == Self.connectionsThatMayFail {
            failedConnections = 0
            standDown("\(Self.connectionsThatMayFail) connections in a row failed")
        }
    }

    // MARK: Leasing

    private func lease() async {
        wasRung = false
        let isAlone = crew.hasSolitude(app.name)
        guard crew.mayLease(app.name) else {
            isLeasing = false
            return crew.starve(app.name)
        }
        await crew.enterTurnstile()
        defer { crew.leaveTurnstile() }
        let slots = crew.reserve(for: app.name)
        guard slots > 0 else {
            isLeasing = false
            return
        }
        var unused = slots
        defer { crew.give(unused, from: app.name) }
        let begun = ContinuousClock.now
        do throws(QueueError) {
            try await handBackUnseen()
            if !clock.isSet {
                let asked = ContinuousClock.now
                clock.set(microseconds: try await app.queue.now(), asked: asked)
            }
            let token = token.token(nowSeconds: clock.now / 1_000_000)
            let asked = ContinuousClock.now
            let server = crew.runId
            let lease = try await app.queue.lease(
                worker: options.name, slots: isAlone ? 1 : slots, rate: app.rate, lease: options.lease,
                requestTimeout: options.requestTimeout, runId: server, absent: confirmedMissing, isAlone: isAlone,
                expected: clock.now, sawStep: sawStep)
            // Permits that came of a clock set forward are too many. They aren't used, and the next call tells the gate.
            sawStep = clock.set(microseconds: lease.nowMicroseconds, asked: asked) == .setForward
            if sawStep { log(.warning, "Redis' clock was set forward: one window is waited out") }
            failures = 0
            unused = slots - lease.jobs.count
            // A call that waited for a connection named the server before; what this one forgot it could not say.
            start(lease.jobs, token: token, asked: asked, isVoid: server != crew.runId || sawStep)
            considerSolitude(after: lease, wasAlone: isAlone)
            await adopt(lease.raw)
            next(after: lease)
        } catch {
            await standOff(error, since: begun)
        }
    }

    private func start(
        _ jobs: [LeasedJob], token: Secret<String>, asked: ContinuousClock.Instant, isVoid: Bool
    ) {
        for job in jobs {
            let permit = Permit(begun: asked, age: isVoid ? .zero : app.rate.permitAge)
            let run = JobRun(
                app: app, job: job, permit: permit, token: token,
                freshTokenWasRefused: refusedToken.map { $0.reveal() != token.reveal() } ?? false,
                requestTimeout: options.requestTimeout,
                secondOpinionFor: crew.hasOthers(for: app.name, than: options.name) ? options.name : nil,
                settlements: settlements)
            let task = Task { await self.see(run) }
            held[job.id] = Held(job: job, permit: permit, task: task)
        }
    }

    /// A job that has cost two leases gets the process to itself: what it may do to it then harms no other send.
    private func considerSolitude(after lease: Lease, wasAlone: Bool) {
        if lease.holdsJobThatMustBeAlone, !wasAlone {
            solitudeUntil = .now + .seconds(10)
            crew.wantSolitude(for: app.name)
        } else if wasAlone, lease.jobs.isEmpty, ContinuousClock.now > solitudeUntil {
            // Another worker was alone first.
            crew.endSolitude(of: app.name)
        }
    }

    private func adopt(_ raw: [RawEntry]) async {
        guard !raw.isEmpty else { return }
        do {
            let verdicts = try await app.queue.adopt(raw.map { ($0, judge.judge($0)) })
            let letters = verdicts.count { $0 == .letter }
            if letters > 0 { log(.warning, "entries became dead letters", ["letters": "\(letters)"]) }
            crew.measures.adopted.add(Double(verdicts.count - letters), app.name)
            wasRung = true
        } catch {
            // The entries stay pending; a worker hands them out again after 15 s.
            log(.warning, "raw entries could not be adopted", ["error": "\(error)"])
        }
    }

    private func next(after lease: Lease) {
        isLeasing = false
        if pausedFor != lease.pausedFor {
            pausedFor = lease.pausedFor
            if let reason = lease.pausedFor { log(.notice, "paused: nothing is sent", ["reason": reason]) }
        }
        if let id = lease.missing {
            // A Cluster slot on the move looks like this for a moment; what is still missing after a while is gone.
            missing[id, default: 0] += 1
            return wake(after: .seconds(5))
        }
        missing = [:]
        if let ailment = lease.ailment { log(.warning, "a job can't be leased", ["job": ailment]) }
        if lease.untoldAlarms > 0 { tellAlarms() }
        if lease.hasMore || wasRung { return ring() }
        if crew.hasSolitude(app.name) { return wake(after: .milliseconds(100)) }
        if let wait = lease.wait { wake(after: wait) }
        crew.changed()
    }

    private func tellAlarms() {
        guard !isTelling else { return }
        isTelling = true
        Task {
            await crew.herald.tell(app, as: options.name)
            isTelling = false
            crew.changed()
        }
    }

    private var confirmedMissing: [String] { missing.filter { $0.value >= 3 }.map(\.key) }

    private func wake(after wait: Duration) {
        guard !isQuiet else { return }
        timer = loop.after(min(wait, options.sweep)) { [weak self] in self?.assumeIsolated { $0.ring() } }
    }

    /// Redis is away or refuses: nothing is sent without it. What it may have leased to us unseen is handed back.
    private func standOff(_ error: QueueError, since begun: ContinuousClock.Instant) async {
        failures += 1
        if failures == 1 { log(.warning, "no permits from Redis", ["error": "\(error)"]) }
        if error.mayHaveRun { mayHoldUnseen = true }
        try? await handBackUnseen()
        isLeasing = false
        wake(after: .milliseconds(min(100 << min(failures, 6), 5000)))
    }

    /// A call of `lease` whose answer was lost may have given us jobs. They never left, so they go back unburnt: now,
    /// or as soon as Redis can be reached again.
    private func handBackUnseen() async throws(QueueError) {
        guard mayHoldUnseen else { return }
        let returned = try await app.queue.disown(worker: options.name, except: Set(held.keys))
        mayHoldUnseen = false
        if returned > 0 { log(.notice, "handed back unseen leases", ["jobs": "\(returned)"]) }
    }

    // MARK: Seeing a job through

    private func see(_ run: JobRun) async {
        let departure = ContinuousClock.now
        let reply = await run.send()
        // A task of its own: from here on the answer must be recorded, though this one may be cancelled.
        Task { await self.finish(run, reply, departure) }
    }

    private func finish(_ run: JobRun, _ reply: AppStoreReply, _ departure: ContinuousClock.Instant) async {
        crew.measures.answered(reply, app: app.name, after: ContinuousClock.now - departure)
        if reply.wasNotPermitted {
            lateInARow += 1
            await persist("release", run.job) { () async throws(QueueError) in
                _ = try await self.app.queue.release(run.job, why: "late")
            }
            // A connection that had to be made first is what makes permits late; the next one finds it ready.
            await app.store.warm()
        } else {
            lateInARow = 0
            let verdict = run.judge(reply, nowMs: clock.now / 1000)
            noteToken(of: run, reply, verdict)
            noteConnection(reply)
            await persist("record", run.job) { () async throws(QueueError) in
                await self.report(
                    run, reply, verdict, try await run.record(reply, verdict, nowMs: self.clock.now / 1000))
            }
        }
        held[run.job.id] = nil
        crew.give(1, from: app.name)
        if run.job.mustBeAlone { crew.endSolitude(of: app.name) }
        if lateInARow > 1 { restsUntil = .now + .milliseconds(min(5 << min(lateInARow, 6), 250)) }
        ring()
        crew.changed()
    }

    /// Repeats a move until Redis has it: an answer of Apple's that isn't recorded is a refund that may be sent again.
    private func persist(
        _ what: String, _ job: LeasedJob, _ move: () async throws(QueueError) -> Void
    ) async {
        var tries = 0
        while true {
            do throws(QueueError) {
                return try await move()
            } catch {
                tries += 1
                if tries == 1 || tries.isMultiple(of: 20) {
                    log(.error, "an answer waits for Redis", ["job": job.id, "move": what, "error": "\(error)"])
                }
                try? await crew.domain.sleep(for: .milliseconds(min(50 << min(tries, 6), 2000)))
            }
        }
    }

    private func noteToken(of run: JobRun, _ reply: AppStoreReply, _ verdict: Verdict) {
        switch verdict.disposition {
        case .refreshToken, .pauseApp(reason: .unauthorized, _):
            refusedToken = run.token
            token.drop(run.token)
        default:
            if case .response = reply.answer { refusedToken = nil }
        }
    }

    private func report(
        _ run: JobRun, _ reply: AppStoreReply, _ verdict: Verdict, _ recorded: JobRun.Recorded
    ) async {
        let job = run.job
        switch recorded {
        case .settled(let settlement):
            log(.debug, "answered", ["job": job.id, "state": settlement.rawValue])
        case .moved(.to(let state)):
            let level: Log.Level = state == .dead ? .warning : .info
            log(level, reply.summary, ["job": job.id, "state": state.rawValue])
        case .moved(.stale):
            log(.notice, "the lease was lost before the answer came", ["job": job.id, "answer": reply.summary])
        case .moved(.refusedWhileOpen):
            log(.error, "a new id was asked for while one is open", ["job": job.id])
        case .paused(let pause):
            if pause.verdict == .waitsForSecondWorker { standDown("Apple refuses this worker's tokens") }
        }
    }

    // MARK: Leases

    /// Keeps the leases of what is under way; a lost one takes its permit with it.
    func renew() async {
        guard !held.isEmpty else { return }
        do {
            let lost = try await app.queue.renew(worker: options.name, lease: options.lease, holding: heldJobs)
            for id in lost { held[id]?.permit.revoke() }
        } catch {
            log(.warning, "leases could not be renewed", ["error": "\(error)"])
        }
    }

    func reclaim(from worker: String) async throws(QueueError) -> Int {
        let taken = try await app.queue.reclaim(
            from: worker, expected: clock.isSet ? clock.now : nil)
        if taken > 0 {
            log(.notice, "took over a dead worker's jobs", ["worker": worker, "jobs": "\(taken)"])
            ring()
        }
        return taken
    }
}
