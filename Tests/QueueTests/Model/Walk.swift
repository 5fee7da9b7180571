import Queue
import Redis
import Refunds

/// What a walk saw that must not be.
struct Contradiction: Error, CustomStringConvertible {
    let what: String
    let step: Int
    let seed: UInt64
    let trail: [String]

    var description: String {
        "step \(step) of seed \(seed): \(what)\nlast steps:\n  " + trail.joined(separator: "\n  ")
    }
}

/// One random interleaving of all moves, by several workers that may die between any two calls, over a few purchases,
/// while time moves. After each step Redis is compared with the model and with the invariants.
final class Walk {
    /// What a worker holds in its head; gone when it dies.
    struct Mind {
        struct Grip {
            let job: LeasedJob
            /// Which of its worker's provider tokens it goes with.
            let token: Int
            /// When it was asked for, in true time.
            let taken: Int64
            /// The answer showed that the clock was set: the permit isn't used.
            let isVoid: Bool
            /// Taken by a worker that could not know that the clock was set.
            let isBlind: Bool
            /// Another one, which could not know that the clock was set, was sent for its purchase meanwhile.
            var isOvertaken = false
            /// What Apple said, once the request was written.
            var reply: PretendApple.Reply?
        }

        /// What a worker knows of Redis' clock.
        struct Clock {
            /// How far it is ahead of the worker's own steady one.
            var ahead: Int64
            /// How often it had been set before this worker first read it.
            let setsBefore: Int
            /// The last answer showed that it was set forward, which the gate isn't told yet.
            var sawStep = false
        }

        var grips: [Grip] = []
        var raw: [RawEntry] = []
        var clock: Clock?
        /// An alarm that it has taken and not told.
        var alarm: Alarm?
        var token = 0
        /// The last token that was answered with 401, until another answer came.
        var refusedToken: Int?
        /// Until this step it is stopped, as by SIGSTOP: it knows nothing of what happens meanwhile.
        var frozenUntil = 0
    }

    let world: QueueWorld
    let seed: UInt64
    var random: SeededRandom
    /// What decides which answers come together: apart, so that a walk goes its way whatever it says.
    var company: SeededRandom
    var model: Model
    var apple = PretendApple()
    var coverage = CrashCoverage()
    var minds: [String: Mind] = [:]
    var dead: [String] = []
    var workersBorn = 0
    var runId = "run-0"
    /// The server, if this walk may kill it.
    let server: PrivateRedis?
    var restarts = 0
    let neighbour: QueueWorld
    /// A job of the neighbour's, of which nothing is known here.
    var stranger: LeasedJob?
    var neighbourBefore: Census
    /// Alarms by the ids of their entries: that there were, how often each was told, and taken from one that vanished.
    var raised: Set<String> = []
    var told: [String: Int] = [:]
    var takenOver: [String: Int] = [:]
    /// Alarms that were deleted, yet not acknowledged: their tellers died in between.
    var ghosts = 0
    /// When requests were written to the wire, in true time, and whether their worker could not know of a step.
    var written: [(at: Int64, isBlind: Bool)] = []
    /// How far Redis' clock is ahead of true time, and how often it was set.
    var ahead: Int64 = 0
    var clockSets = 0
    var lastSet: Int64?
    /// The times that it was set forward and no call has told the scripts.
    var untoldSteps: [UntoldStep] = []
    var jobs: [String: Job] = [:]
    var rawTexts: [String: String] = [:]
    var census: Census
    var booked: [String: [String: Int]] = [:]
    var bookedEvents: [String: Int] = [:]
    var lastBooked = "-"
    /// Where the move just made must have put what it moved; everything else stays.
    var expected: [String: Census.Place?] = [:]
    /// Followers whose turn came.
    var called: Set<String> = []
    /// And when it must be due.
    var expectedDue: [String: Int64] = [:]
    /// Whether `lease` had slots and permits to spare.
    var mustHaveEmptied = false
    var step = 0
    var trail: [String] = []
    /// Redis' clock.
    var now: Int64 { model.now }
    /// True time.
    var steady: Int64 { model.steady }

    init(
        _ world: QueueWorld, seed: UInt64, killing server: PrivateRedis? = nil, believing belief: Model.Misbelief? = nil
    ) async throws {
        self.server = server
        neighbour = QueueWorld(world.redis, app: "games")
        self.world = world
        self.seed = seed
        random = SeededRandom(seed: seed)
        company = SeededRandom(seed: ~seed)
        model = Model(now: TestClock.start, steady: TestClock.start)
        model.misbelief = belief
        try await world.send("FLUSHALL")
        try await world.setClock(TestClock.start)
        census = try await world.census()
        neighbourBefore = census
        try await welcomeNeighbour()
        for _ in 0...seed % 3 { bearWorker() }
        changeMood()
    }

    func bearWorker() {
        workersBorn += 1
        minds["w\(workersBorn)"] = Mind()
    }

    /// A worker forgets everything; what it wrote to the wire may still arrive.
    func kill(_ worker: String) {
        minds[worker] = nil
        dead.append(worker)
        bearWorker()
    }

    /// One of the workers that are not stopped.
    func busyWorker(_ isBusy: (Mind) -> Bool) -> String? {
        random.pick(minds.filter { $0.value.frozenUntil <= step && isBusy($0.value) }.keys.sorted())
    }

    func fail(_ what: String) -> Contradiction {
        Contradiction(what: what, step: step, seed: seed, trail: trail.suffix(12))
    }

    func require(_ isTrue: Bool, _ what: @autoclosure () -> String) throws {
        if !isTrue { throw fail(what()) }
    }

    func say(_ what: String) {
        trail.append("\(step) at \(steady - TestClock.start)\(ahead == 0 ? "" : ", Redis \(ahead)"): \(what)")
    }

    // MARK: Steps

    private enum Choice {
        case time, setClock, enqueue, produce, lease, grip, adopt, renew, reclaim, withdraw, redrive, discard, pause,
            resume
        case forget, disown, freeze, mood, tell, killRedis, audit
    }

    /// Walks at most so many steps.
    func run(steps: Int) async throws {
        let end = step + steps
        while step < end {
            step += 1
            try await takeStep()
        }
    }

    private func takeStep() async throws {
        let isFull = jobs.count >= (setsClock ? 60 : 40)
        let isCalled = called.contains { census.places[$0]?.first != .lease }
        let isBusy = busyWorker { !$0.grips.isEmpty } != nil
        // A permit lives for milliseconds, so that workers seldom wait with one in their hands.
        let isReady = busyWorker { $0.grips.contains { $0.reply == nil } } != nil
        let choice: Choice = random.weighted([
            (isReady ? 25 : 200, .time), (isFull ? 0 : setsClock ? 150 : 60, .enqueue), (isFull ? 0 : 20, .produce),
            (isClockNew ? 300 : 130, .lease),
            (isBusy ? 400 : 0, .grip), (50, .adopt), (25, .renew), (25, .reclaim),
            (isCalled ? 70 : 15, .withdraw), (40, .redrive), (20, .discard), (2, .pause),
            (model.paused ? 200 : 4, .resume),
            (model.blockedUntil > now + model.longestBlock ? 150 : 5, .forget), (8, .disown), (8, .freeze), (8, .audit),
            (apple.mood == .good ? 25 : 8, .mood), (model.alarms.isEmpty ? 2 : 50, .tell),
            (server == nil ? 0 : 12, .killRedis), (clockWeight, .setClock),
        ])
        guard let worker = busyWorker({ _ in true }) else { return try await pass(randomTime()) }
        switch choice {
        case .time: try await pass(randomTime())
        case .setClock: try await setClock()
        case .enqueue: try await enqueue()
        case .produce: try await produce()
        case .lease:
            // No two calls run in one microsecond: what fills the gate after a step bears another time than what left before.
            if setsClock { try await pass(1) }
            try await make(.lease, by: worker) { try await self.lease(worker, slots: self.random.number(0...6)) }
        case .grip: try await useGrip()
        case .adopt: if let worker = busyWorker({ !$0.raw.isEmpty }) { try await adopt(worker) }
        case .renew: try await renew()
        case .reclaim: try await reclaim()
        case .withdraw: try await withdraw()
        case .redrive: try await redrive()
        case .discard: try await discard()
        case .pause: try await pause()
        case .resume: try await resume()
        case .forget:
            runId = "run-\(step)"
            say("Redis is another one")
            try await pass(1000)
        case .disown: try await disown(worker)
        case .audit: try await audit()
        case .mood:
            changeMood()
        case .tell: try await tell(worker)
        case .killRedis: try await killRedis()
        case .freeze:
            guard let worker = busyWorker({ !$0.grips.isEmpty }) else { return }
            minds[worker]?.frozenUntil = step + 40
            say("\(worker) is stopped")
        }
    }

    private func randomTime() -> Int64 {
        // Often right before or after the moment that something waits for.
        let moments = [model.nextPermit, model.blockedUntil, census.sets["later"]?.first.map { Int64($0.score) } ?? 0]
            .filter { $0 > now }
        if let moment = random.pick(moments), random.chance(35) {
            return max(1, moment - now + Int64(random.pick([-20_000, -1, 0, 1000]) ?? 0))
        }
        let range: ClosedRange<Int> = random.weighted([
            (35, 1...9), (20, 50...400), (25, 900...2100), (12, 9_000...33_000), (7, 59_000...62_000),
            // Now and then longer than a lone sight of a 401 counts, or a run of time.
            (model.refusedBy == nil ? 1 : 8, 301_000...600_000), (model.funds.isEmpty ? 1 : 8, 3_601_000...4_000_000),
        ])
        return Int64(random.number(range)) * 1000
    }

    func pass(_ microseconds: Int64) async throws {
        model.steady += microseconds
        model.now += microseconds
        try await world.setClock(model.now)
        apple.forget(before: steady - model.timeout)
        say("\(microseconds) µs pass")
    }

    // MARK: Calls, and who dies around them

    /// What this walk has not tried yet is likelier.
    private func crashPoint(of move: ScriptName) -> CrashPoint {
        random.weighted([
            (84, .none), (coverage.has(move, .before) ? 5 : 12, .before), (coverage.has(move, .after) ? 8 : 25, .after),
        ])
    }

    /// Makes one move. Its maker may die before the call, or after it ran and before the answer came; then the call is
    /// sometimes made again as it was, as a client that lost its connection would. `body` makes the call, tells the
    /// model and gives back what the maker learns.
    func make(
        _ move: ScriptName, by worker: String? = nil, isSafe: Bool = false, _ body: () async throws -> (() -> Void)
    ) async throws {
        let point: CrashPoint = isSafe ? .none : crashPoint(of: move)
        if !isSafe { coverage.note(move, point) }
        guard point != .before else {
            say("\(worker ?? "somebody") dies before \(move)")
            if let worker { kill(worker) }
            return
        }
        let learn = try await body()
        try await examine()
        guard point == .after else { return learn() }
        say("the answer of \(move) is lost")
        if random.chance(50) {
            _ = try await body()
            try await examine()
        }
        if let worker { kill(worker) }
    }
}
