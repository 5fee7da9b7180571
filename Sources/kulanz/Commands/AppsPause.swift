import Arguments
import Configuration
import Queue
import Refunds

struct AppsPause: Command {
    static let name = "apps pause"
    /// The word for a pause by a person; the fleet's own are Apple's doing.
    static let reason = "manual"
    static let summary = "Stop sending for an app; its jobs stay where they are."
    static let arguments: [Argument<Self>] =
        [.positional("APP", \.app, "Which app.").required] + ActOption.arguments.within(\.act)
        + ConfigurationOption.arguments.within(\.configuration)
    static let examples = [Example("apps pause audiobooks --why 'wrong prices imported'", "Until somebody resumes it.")]

    var app: String?
    var act = ActOption()
    var configuration = ConfigurationOption()

    func run() async throws {
        let act = try act.act(isWhyNeeded: false)
        try await Assembly.use(configuration) { assembly in
            let app = try assembly.settings.app(called: app ?? "")
            let pause = try await assembly.queue(of: app).pause(reason: Self.reason, act: act)
            PauseReport(app: app.name, isPaused: true, hasChanged: pause.isNew).print(isJSON: configuration.isJSON)
        }
    }
}

/// What became of a pause or its end.
struct PauseReport {
    let app: String
    let isPaused: Bool
    /// False if it was so already.
    let hasChanged: Bool

    func print(isJSON: Bool) {
        guard !isJSON else {
            return Output.line(
                .object(
                    JSONObject(["app": .string(app), "paused": .bool(isPaused), "changed": .bool(hasChanged)])))
        }
        let state = isPaused ? "paused; what is under way comes to its end" : "sending again"
        Output.line("\(app)  \(hasChanged ? "" : "was already ")\(state)")
    }
}
