import AppStore
import Arguments
import Configuration
import EventLoop
import Fleet
import Foundation
import HTTP
import Lifecycle
import Telemetry

struct WorkerCommand: Command {
    static let name = "worker"
    static let summary = "Send what waits: one worker process of the fleet."
    static let discussion = """
        Start as many as you like, on as many machines: they share each app's rate through Redis, and the jobs of one \
        that dies go to the others. SIGTERM or Ctrl-C lets what is under way come to its end; a second one ends at once.
        """
    static let arguments: [Argument<Self>] =
        [
            .option("--app", "APP", \.apps, "Serve only this app; all apps otherwise."),
            .flag(
                "--until-idle", \.untilIdle,
                "End once nothing is queued, waiting or in flight; exits 75 if only paused apps have work left."),
            .flag(
                "--until-input-ends", \.untilInputEnds,
                "Drain, as after SIGTERM, when standard input ends: for who starts workers and may be killed itself."),
        ] + LogOption.arguments.within(\.logging).titled("Log")
        + ConfigurationOption.arguments.within(\.configuration).filter { $0.name != "--json" }.titled("General")
    static let examples = [
        Example("worker", "Until it is told to stop."),
        Example("worker --app audiobooks --until-idle", "Empty one app's queue, then end."),
    ]

    var apps: [String] = []
    var untilIdle = false
    var untilInputEnds = false
    var logging = LogOption()
    var configuration = ConfigurationOption()

    func run() async throws {
        let settings = try configuration.settings()
        try EmbeddedRedis.requireUp(settings)
        var names: [String] = []
        for app in apps { names.append(try settings.app(called: app).name) }
        let loop = EventLoop()
        let signals = await Signals.stream(of: [SIGINT, SIGTERM], on: loop)
        let worker = Assembly.worker(
            settings, apps: names, untilIdle: untilIdle, loop: loop, log: logging.log("worker"))
        let listener = Task {
            var wishes = 0
            for await signal in signals {
                wishes += 1
                // What the second signal cuts off is found by the workers that watch for the dead.
                guard wishes == 1 else { endProcess(128 + signal) }
                Task { await worker.drain() }
            }
        }
        let leash = Task { [untilInputEnds] in
            guard untilInputEnds else { return }
            await InputEnd.wait(on: loop)
            if !Task.isCancelled { await worker.drain() }
        }
        defer {
            listener.cancel()
            leash.cancel()
        }
        switch await worker.run() {
        case .drained, .idle: return
        case .idleButPaused(let apps):
            throw CommandFailure(
                .tryAgain,
                "all that is left belongs to paused apps: \(apps.joined(separator: ", ")); see kulanz apps list")
        }
    }
}
