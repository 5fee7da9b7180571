import Arguments
import Configuration
import Queue

struct JobsShow: Command {
    static let name = "jobs show"
    static let summary = "One job: its state, every attempt, its lines in the ledger."
    static let arguments: [Argument<Self>] =
        [
            .positional("ID", \.id, "The job's id.").required,
            .option("--app", "APP", \.apps, "Only in this app; an id may be known to several."),
        ] + ConfigurationOption.arguments.within(\.configuration)
    static let examples = [
        Example("jobs show case-4711", "For a person."),
        Example("jobs show case-4711 --json | jq .attempts", "Every send with its answer."),
    ]

    var id: String?
    var apps: [String] = []
    var configuration = ConfigurationOption()

    func run() async throws {
        let id = id ?? ""
        try await Assembly.use(configuration) { assembly in
            var isFound = false
            for app in try assembly.apps(apps) {
                let queue = assembly.queue(of: app)
                guard let record = try await queue.show(id) else { continue }
                let report = try await JobReport(record, in: queue, withLedger: true)
                if configuration.isJSON {
                    Output.line(report.json)
                } else {
                    if isFound { Output.line("") }
                    for line in report.lines { Output.line(line) }
                }
                isFound = true
            }
            guard isFound else {
                let hint = id.hasPrefix("letter/") ? "; an entry that never became a job: kulanz dead show \(id)" : ""
                throw CommandFailure(.noSuchThing, "no app has a job \(id)\(hint)")
            }
        }
    }
}
