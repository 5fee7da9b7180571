import Arguments
import EventLoop
import Foundation
import Lifecycle
import Redis

struct Bench: Command {
    static let name = "bench"
    static let summary = "Measure: throughput, cost, memory, delay, the limit's exactness."
    static let discussion = """
        Needs no configuration and touches nothing outside: private Redis servers, simulator and workers are started on \
        this machine and taken away again, after Ctrl-C too. docs/benchmarks.md explains each part's method.

        Figures are of use only from a release build on a quiet machine: swift build -c release, then \
        .build/release/kulanz bench all.
        """
    static let arguments: [Argument<Self>] = [
        .positional("PART", \.parts, "What to measure; all of it when nothing is named."),
        .option("--jobs", "N", \.jobs, "Jobs in each repetition of drain, calls, memory and enqueue; 20000."),
        .option("--repeat", "N", \.repetitions, "Repetitions of each case; 3, and 1 of idle, limiter and takeover."),
        .option("--permits", "N", \.permits, "How many jobs a call may lease in drain and calls; production gives 5."),
        .flag("--quick", \.isQuick, "Few jobs, once: to see it work."),
        .flag("--json", \.isJSON, "One JSON object a case on standard output, for programs."),
        .flag("--markdown", \.isMarkdown, "As docs/benchmarks.md has it, with method and spread."),
    ]
    static let examples = [
        Example("bench all --markdown", "Everything, for docs/benchmarks.md; about twelve minutes."),
        Example("bench drain", "How fast and at what cost two workers send 20,000 jobs."),
        Example("bench calls --jobs 2000", "Which scripts a job takes, and Redis' time in each."),
    ]

    var parts: [BenchChoice] = []
    var jobs: Int?
    var repetitions: Int?
    var permits = 5
    var isQuick = false
    var isJSON = false
    var isMarkdown = false

    func validate() throws(UsageError) {
        if let jobs, !(10...1_000_000).contains(jobs) { throw .invalid("--jobs expects 10 to 1000000") }
        if let repetitions, !(1...100).contains(repetitions) { throw .invalid("--repeat expects 1 to 100") }
        if isJSON, isMarkdown { throw .invalid("--json and --markdown exclude each other") }
        if !(1...64).contains(permits) { throw .invalid("--permits expects 1 to 64") }
    }

    func run() async throws {
        #if DEBUG
            Output.note("This is a debug build: its figures mean nothing. swift build -c release makes another.")
        #endif
        let loop = EventLoop()
        // Before anything is there that would have to be cleaned up.
        let signals = await Signals.stream(of: [SIGINT, SIGTERM, SIGHUP], on: loop)
        let folder = try ScratchFolder("kulanz-bench")
        Output.note("In \(folder.path), and nothing outside of this machine is touched.")
        let troupe = Troupe(loop: loop)
        let course = Task {
            try await measure(in: try await BenchHouse(folder: folder, troupe: troupe, scale: scale))
        }
        let interruption = Task<Int32?, Never> {
            for await signal in signals {
                course.cancel()
                await troupe.close()
                return signal
            }
            return nil
        }
        let result = await course.result
        await troupe.close()
        folder.remove()
        interruption.cancel()
        if let signal = await interruption.value {
            Output.complain("Interrupted: everything is stopped and removed.\n")
            endProcess(128 + signal)
        }
        do {
            try result.get()
        } catch let error as PrivateRedisError {
            throw CommandFailure(.unreachable, "the bench needs a redis-server of its own: \(error)")
        }
    }

    private var scale: BenchScale {
        var scale = isQuick ? BenchScale.quick : .full
        if let jobs { scale.jobs = jobs }
        if let repetitions { (scale.repetitions, scale.longRepetitions) = (repetitions, repetitions) }
        scale.permitsPerCall = permits
        return scale
    }

    private func measure(in house: BenchHouse) async throws {
        if isMarkdown { for line in BenchMachine.sentence(house.versions).wrapped(to: 120) { Output.line(line) } }
        let chosen = parts.flatMap(\.parts)
        for part in BenchPart.allCases where chosen.isEmpty || chosen.contains(part) {
            show(try await part.measure(in: house), house)
        }
    }

    private func show(_ table: BenchTable, _ house: BenchHouse) {
        if isJSON { return table.json(house.scale, house.versions).forEach { Output.line($0) } }
        let lines = isMarkdown ? table.markdown : table.lines(width: Terminal.width)
        for line in [""] + lines { Output.line(line) }
    }
}

extension BenchPart {
    fileprivate func measure(in house: BenchHouse) async throws -> BenchTable {
        switch self {
        case .drain: try await DrainBench(house: house).run()
        case .calls: try await CallsBench(house: house).run()
        case .memory: try await MemoryBench(house: house).run()
        case .enqueue: try await EnqueueBench(house: house).run()
        case .idle: try await IdleBench(house: house).run()
        case .limiter: try await LimiterBench(house: house).run()
        case .takeover: try await TakeoverBench(house: house).run()
        }
    }
}
