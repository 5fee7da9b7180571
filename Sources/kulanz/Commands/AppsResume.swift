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
            let wasPaused = try await assembly.queue(of: app).resume(act: act)
            PauseReport(app: app.name, isPaused: false, hasChanged: wasPaused).print(isJSON: configuration.isJSON)
        }
    }
}
