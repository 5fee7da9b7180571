import Arguments
import Configuration
import Queue

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
            let wasPaused = try await queue.resume(act: act)
            PauseReport(app: app.name, isPaused: false, hasChanged: wasPaused).print(isJSON: configuration.isJSON)
            if wasPaused { try await suggestRedrive(in: queue, pause: try await queue.lastPause()) }
        }
    }

    /// The letters of the run that led to the pause bear its number.
    private func suggestRedrive(in queue: JobQueue, pause number: Int) async throws(QueueError) {
        let letters = try await queue.deadLetters().count { $0.pause == String(number) }
        guard letters > 0 else { return }
        Output.note("\(letters) dead letters led to this pause; if its cause is mended, send them again:")
        Output.note("  kulanz dead redrive --app \(queue.app) --pause \(number) --why 'the pause is over'")
    }
}
