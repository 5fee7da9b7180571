package import AppStore
package import EventLoop
package import HTTP
package import Queue
package import Redis
import Refunds
package import Telemetry

/// One worker process: it shares every app's gate with all the others, and holds nothing that they could miss.
///
/// Its duties: ask for work when something rings (`Doorbell`, `Dispatcher`), see each send through (`JobRun`), beat and
/// watch the others' beats (`BeatWatch`), keep its leases, and leave in order: quiet, then a deadline, then hand back.
package actor Worker {
    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// How a run ended.
    package enum End: Sendable, Hashable {
        case drained
        /// `--until-idle`: nothing is left to send.
        case idle
        /// `--until-idle`: all that is left belongs to these paused apps.
        case idleButPaused([String])
    }

    private let options: WorkerOptions
    private let redis: RedisClient
    private let subscriber: RedisSubscriber
    private let workersKey: String
    private let log: Log
    private let crew: Crew
    private let doorbell: Doorbell
    private let domain: LoopDomain
    private let streams: StreamSweep
    private var dispatchers: [String: Dispatcher] = [:]
    private var watch: BeatWatch
    private var beat: Int64 = 0
    private var isDraining = false
    private var ending: CheckedContinuation<End, Never>?
    private var ended: End?
    private var calmTimers: [Int: LoopTimer] = [:]
    private var calmWaiters: [Int: AsyncStream<Void>.Continuation] = [:]

    /// - Parameters:
    ///   - known: every app that the configuration has, served here or not; the served ones when left out.
    ///   - http: for alarms; requests to Apple go through each app's own client.
    ///   - database: of the Redis connection; keyspace events bear its number.
    package init(
        loop: EventLoop, apps: [(app: FleetApp, token: ProviderToken)], known: [JobQueue]? = nil,
        options: WorkerOptions, redis: RedisClient,
        subscriber: RedisSubscriber, http: HTTPClient, prefix: String, database: Int, metrics: Metrics = Metrics(),
        log: Log = .none
    ) {
        self.loop = loop
        self.options = options
        self.redis = redis
        self.subscriber = subscriber
        self.log = log.carrying(["worker": options.name])
        workersKey = Beat.key(prefix: prefix)
        domain = LoopDomain(loop)
        crew = Crew(
            domain: domain, slots: Slots(total: options.concurrency, apps: apps.count),
            herald: Herald(http: http, domain: domain, patience: options.alarmPatience, log: self.log),
            measures: Measures(metrics))
        doorbell = Doorbell(
            subscriber: subscriber, redis: redis, apps: apps.map(\.app), database: database, log: self.log)
        streams = StreamSweep(
            queues: known ?? apps.map(\.app.queue), prefix: prefix, redis: redis, period: options.streamSweep,
            log: self.log)
        watch = BeatWatch(patience: options.beat * 4)
        for (app, token) in apps {
            dispatchers[app.name] = Dispatcher(
                loop: loop, app: app, token: token, options: options, crew: crew, log: self.log)
        }
    }

    // MARK: Running

    /// Works until it is drained, or until nothing is left if so asked.
    package func run() async -> End {
        crew.onChange { [weak self] in self?.assumeIsolated { $0.changed() } }
        let chores: [Task<Void, Never>] = [
            Task { await self.followRedis() },
            Task { await self.doorbell.listen { app in await self.ringIfDriving(app) } },
            Task { await self.repeatEvery(self.options.beat) { await self.beatAndWatch() } },
            Task { await self.repeatEvery(self.options.lease / 3) { await self.renew() } },
            Task { await self.repeatEvery(self.options.sweep) { self.ringAll() } },
        ]
        let sweep = Task { if !options.untilIdle { await self.sweepStreams() } }
        for dispatcher in dispatchers.values { Task { await dispatcher.app.store.warm() } }
        if options.untilIdle { Task { await self.watchForIdleness() } }
        let end = await withCheckedContinuation { continuation in
            if let ended { continuation.resume(returning: ended) } else { ending = continuation }
        }
        for chore in chores + [sweep] { chore.cancel() }
        _ = try? await redis.send(["HDEL", RedisWord(workersKey), RedisWord(options.name)])
        return end
    }

    /// Takes no new work, lets what is under way end until the deadline, then records what is left as what it is.
    package func drain() async {
        guard !isDraining else { return }
        isDraining = true
        log(.notice, "draining", ["within": "\(options.drain)"])
        for dispatcher in dispatchers.values { await dispatcher.quiet() }
        if await !allAreIdle(within: options.drain) {
            log(.notice, "the drain's time is over: handing back what is under way")
            for dispatcher in dispatchers.values { await dispatcher.cancel() }
            _ = await allAreIdle(within: .seconds(5))
        }
        finish(.drained)
    }

    private func finish(_ end: End) {
        guard ended == nil else { return }
        ended = end
        ending?.resume(returning: end)
        ending = nil
    }

    private func repeatEvery(_ period: Duration, _ chore: () async -> Void) async {
        while !Task.isCancelled {
            await chore()
            try? await domain.sleep(for: period)
        }
    }

    // MARK: Ringing

    private func ringIfDriving(_ app: String) async {
        guard Drivers.includes(options.name, for: app, among: crew.live) else { return }
        await dispatchers[app]?.ring()
    }
    private func ringAll() { for dispatcher in dispatchers.values { Task { await dispatcher.ring() } } }

    /// A slot got free: the apps that went without one may want it, and whoever waits for calm looks again.
    private func changed() {
        for app in crew.takeStarved() { if let dispatcher = dispatchers[app] { Task { await dispatcher.ring() } } }
        for waiter in calmWaiters.values { waiter.yield() }
    }

    private func followRedis() async {
        for await state in redis.states {
            switch state {
            case .connected(let runId):
                crew.runId = runId ?? "unknown"
                watch.forget()
                ringAll()
            case .disconnected: watch.forget()
            }
        }
    }

    /// The claim in Redis says whose turn it is, so each worker asks more often than one of them sweeps.
    private func sweepStreams() async {
        // By then the others' beats have told which apps there are.
        try? await domain.sleep(for: options.beat * 2)
        await repeatEvery(options.streamSweep / 6) {
            await streams.run(as: options.name, live: crew.live.values.reduce(into: []) { $0.formUnion($1) })
            ringAll()
        }
    }

    // MARK: Living and dying

    private func beatAndWatch() async {
        beat += 1
        let mine = Beat(count: beat, apps: Set(dispatchers.keys)).text
        do {
            _ = try await redis.send(["HSET", RedisWord(workersKey), RedisWord(options.name), RedisWord(mine)])
            let seen = try await redis.send(["HGETALL", RedisWord(workersKey)]).fields ?? [:]
            var beats: [String: Int64] = [:]
            var live: [String: Set<String>] = [:]
            for (worker, value) in seen {
                let beat = Beat(value.string ?? "")
                live[worker] = beat.apps
                if worker != options.name { beats[worker] = beat.count }
            }
            crew.live = live
            for worker in watch.see(beats, at: .now) {
                await takeOver(from: worker, apps: live[worker] ?? [])
            }
        } catch {
            watch.forget()
        }
    }

    private func takeOver(from worker: String, apps names: Set<String>) async {
        do {
            for name in names {
                guard let dispatcher = dispatchers[name] else { continue }
                let taken = try await dispatcher.reclaim(from: worker)
                crew.measures.reclaimed.add(Double(taken), name)
            }
            // Somebody who serves its other apps still has to see it dead.
            guard names.allSatisfy({ dispatchers[$0] != nil }) else { return }
            _ = try await redis.send(["HDEL", RedisWord(workersKey), RedisWord(worker)])
            log(.notice, "a worker is dead", ["dead": worker])
        } catch {
            log(.warning, "a dead worker's jobs could not be taken over yet", ["dead": worker, "error": "\(error)"])
        }
    }

    private func renew() async { for dispatcher in dispatchers.values { await dispatcher.renew() } }

    // MARK: Ending

    /// Yields whenever a send was recorded or a call of `lease` ended, and every `period` in any case: what other
    /// workers hold changes without a word to this one.
    private func changes(orEvery period: Duration) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let id = (calmWaiters.keys.max() ?? 0) + 1
        calmWaiters[id] = continuation
        calmTimers[id] = loop.every(period) { continuation.yield() }
        continuation.onTermination = { [weak self] _ in
            guard let self else { return }
            Task { await self.stopWaiting(id) }
        }
        continuation.yield()
        return stream
    }

    private func stopWaiting(_ id: Int) {
        calmWaiters[id] = nil
        calmTimers[id] = nil
    }

    private func allAreIdle(within patience: Duration) async -> Bool {
        let deadline = ContinuousClock.now + patience
        for await _ in changes(orEvery: .milliseconds(250)) {
            if await !isBusy() { return true }
            if ContinuousClock.now >= deadline { return false }
        }
        return false
    }

    private func isBusy() async -> Bool {
        for dispatcher in dispatchers.values where await dispatcher.isBusy { return true }
        return false
    }

    private func watchForIdleness() async {
        for await _ in changes(orEvery: .milliseconds(500)) {
            guard !isDraining, ended == nil else { return }
            guard let end = await idleness() else { continue }
            for dispatcher in dispatchers.values { await dispatcher.quiet() }
            return finish(end)
        }
    }

    private func idleness() async -> End? {
        if await isBusy() { return nil }
        var paused: [String] = []
        for dispatcher in dispatchers.values {
            guard let overview = try? await dispatcher.app.queue.overview() else { return nil }
            guard overview.untoldAlarms == 0 else {
                await dispatcher.ring()
                return nil
            }
            if overview.isIdle { continue }
            guard overview.paused != nil, overview.inFlight == 0 else { return nil }
            paused.append(dispatcher.app.name)
        }
        return paused.isEmpty ? .idle : .idleButPaused(paused.sorted())
    }
}
