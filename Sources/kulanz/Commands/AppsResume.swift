import Arguments
import Configuration
import Queue
import Refunds

struct AppsResume: Command {
    static let name = "apps resume"
    static let summary = "Let a paused app send again."
    static let discussion = """
        If Apple's answers led to the pause, first do what the alarm says; otherwise the app is soon paused again. The \
        few dead letters that came before the pause can then be redriven.
        """
    static let arguments: [Argument<Self>] =
        [.positional("APP", \.app, "Which app.").required] + ActOption.arguments.within(\.act)
        + ConfigurationOption.arguments.within(\.configuration)
    static let examples = [Example("apps resume audiobooks --why 'agreement signed'", "Its jobs leave in their order.")]

    var app: String?
    var act = ActOption()
    var configuration = ConfigurationOption()

    func run() async throws {
        let act = try act.act(isWhyNeeded: false)
        try await Assembly.use(configuration) { assembly in
            let app = try assembly.settings.app(called: app ?? "")
            let queue = assembly.queue(of: app)
            let pause = try await queue.overview().paused
            let wasPaused = try await queue.resume(act: act)
            PauseReport(app: app.name, isPaused: false, hasChanged: wasPaused).print(isJSON: configuration.isJSON)
            if let pause, pause.reason != AppsPause.reason { try await suggestRedrive(in: queue, since: pause.since) }
        }
    }

    /// What died just before the pause probably died of its cause.
    private func suggestRedrive(in queue: JobQueue, since pause: Int64) async throws(QueueError) {
        let start = pause - 300_000
        let letters = try await queue.deadLetters(since: start).count { $0.reason == DeadReason.rejected.rawValue }
        guard letters > 0 else { return }
        Output.note("\(letters) dead letters came shortly before the pause; if it was their cause, send them again:")
        Output.note(
            "  kulanz dead redrive --app \(queue.app) --reason rejected --since \(start) --why 'the pause is over'")
    }
}
