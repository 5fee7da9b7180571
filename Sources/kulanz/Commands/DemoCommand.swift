import Arguments
import EventLoop
import Foundation
import Lifecycle
import Queue
import Redis
import Refunds

struct DemoCommand: Command {
    static let name = "demo"
    static let summary = "See it work: a day of refunds in half a minute, on this machine alone."
    static let discussion = """
        Starts a private Redis, the App Store simulator and four workers, adds a few hundred jobs for three apps, lets \
        Apple time out, break down and refuse, kills a worker with -9 on the way, and shows at the end what arrived at \
        Apple, from the simulator's journal. Nothing has to be set up, no port is fixed, and nothing stays behind: \
        processes and folder are gone when it ends, after Ctrl-C too.

        Exits 0 if everything was as promised, 70 if something was not, 75 if something could not be proven, for \
        instance because this machine was too busy.
        """
    static let arguments: [Argument<Self>] = [
        .flag("--real-time", \.isRealTime, "Production's time-outs and leases; takes about a minute."),
        .flag(
            "--keep", \.keeps,
            "Leave everything running behind the summary, to look around, until Ctrl-C; the files stay even then."),
        .flag("--json", \.isJSON, "The summary as one JSON object on standard output, for programs."),
    ]
    static let examples = [
        Example("demo", "The whole day; about 25 s."),
        Example("demo --keep", "The same, then look around with the commands that it names."),
    ]

    var isRealTime = false
    var keeps = false
    var isJSON = false

    func run() async throws {
        let loop = EventLoop()
        // Before anything is there that would have to be cleaned up.
        let signals = await Signals.stream(of: [SIGINT, SIGTERM, SIGHUP], on: loop)
        let day = try DemoDay()
        let files = try DemoFiles()
        let stage = DemoStage(loop: loop, files: files)
        Output.complain("A day of refunds on this machine, and nothing outside of it is touched.\n\n")
        let course = Task { [isRealTime, keeps] in
            try await DemoCourse(
                day: day, pace: isRealTime ? .production : .brisk, stage: stage, keepsRunning: keeps
            ).run()
        }
        let interruption = Task<Int32?, Never> {
            for await signal in signals {
                course.cancel()
                await stage.clear()
                return signal
            }
            return nil
        }
        let result = await course.result
        if keeps, case .success(let report) = result {
            show(report, in: files)
            Output.complain("\nEverything runs until Ctrl-C; the files stay in \(files.folder).\n")
            _ = await interruption.value
            return try conclude(report)
        }
        await stage.clear()
        files.remove()
        interruption.cancel()
        if let signal = await interruption.value {
            Output.complain("Interrupted: everything is stopped and removed.\n")
            endProcess(128 + signal)
        }
        let report = try report(in: result)
        show(report, in: files)
        try conclude(report)
    }

    private func report(in result: Result<DemoReport, any Error>) throws -> DemoReport {
        do {
            return try result.get()
        } catch let error as PrivateRedisError {
            throw CommandFailure(.unreachable, "the demo needs a redis-server of its own: \(error)")
        }
    }

    private func show(_ report: DemoReport, in files: DemoFiles) {
        let text = DemoText(report, width: Terminal.width ?? 80, isColoured: Terminal.isColoured)
        let tour = DemoTour(
            report, in: files, isRunning: keeps, program: CommandLine.arguments.first ?? Kulanz.program.name)
        let lines = isJSON ? [report.json.text] : text.lines + tour.lines
        let bytes = Data((lines.joined(separator: "\n") + "\n").utf8)
        // Not by way of Output: with --keep a reader that has gone must not end us before everything is put away.
        try? FileHandle.standardOutput.write(contentsOf: bytes)
    }

    private func conclude(_ report: DemoReport) throws {
        switch report.verdict {
        case .asPromised: break
        case .inconclusive: throw CommandFailure(.tryAgain)
        case .broken: throw CommandFailure(.fault)
        }
    }
}
