import Arguments
import Configuration
import Queue
import Refunds

/// What `refund`, `revoke` and `cancel-subscription` have in common, and the way of their one job.
struct JobOption: Sendable {
    static let arguments: [Argument<Self>] =
        [
            .option("--app", "APP", \.app, "The app, as the configuration names it.").required,
            .option("--transaction", "ID", \.transaction, "The transaction's identifier.").required,
            .option(
                "--original-transaction", "ID", \.originalTransaction,
                "The subscription's first transaction: jobs that share it are sent one after another."),
            .flag("--allow-repeat", \.allowsRepeat, "Ask again although a job for the same item is open or accepted."),
        ] + sending.titled("The job")

    private static let sending: [Argument<Self>] = [
        .option("--id", "ID", \.id, "Your key for it: the same id with the same content is the same job."),
        .option("--priority", "LANE", \.priority, "The lane it waits in."),
        .option("--not-before", "TIME", \.notBefore, "Not sent before that time."),
        .option("--note", "TEXT", \.note, "For the ledger, at most 1,024 characters."),
        .option("--as", "NAME", \.requestedBy, "Who asks; the login otherwise."),
        .flag("--dry-run", \.isDryRun, "Check it and show it, but enqueue nothing; needs no Redis."),
        .flag("--yes", \.isConfirmed, "Don't ask, although a terminal is there to be asked."),
        .option(
            "--wait", "STATE", \.wait, bare: .accepted, "Come back once Apple has accepted it, or its outcome is known."
        ),
        .option("--timeout", "TIME", \.timeout, "How long --wait waits before it exits 75; the job goes on."),
    ]

    enum Goal: String, ArgumentValue, CaseIterable {
        case accepted, outcome
    }

    var app: String?
    var transaction: String?
    var originalTransaction: String?
    var allowsRepeat = false
    var id: String?
    var priority = Priority.normal
    var notBefore: Moment?
    var note: String?
    var requestedBy: String?
    var isDryRun = false
    var isConfirmed = false
    var wait: Goal?
    var timeout = Duration.seconds(60)

    /// The job's JSON with what is particular to an operation.
    func json(_ operation: Operation, request: JSONObject, _ particular: KeyValuePairs<String, JSON?> = [:]) -> JSON {
        var job = JSONObject([
            "id": id.map(JSON.string), "app": app.map(JSON.string), "operation": .string(operation.rawValue),
            "transactionId": transaction.map(JSON.string),
            "originalTransactionId": originalTransaction.map(JSON.string),
            "allowRepeat": allowsRepeat ? .bool(true) : nil, "request": .object(request),
            "priority": .string(priority.rawValue), "notBefore": notBefore.map { .integer($0.milliseconds) },
            "requestedBy": .string(requestedBy ?? ActOption.login), "note": note.map(JSON.string),
        ])
        for (key, value) in particular { if let value { job[key] = value } }
        return .object(job)
    }

    /// Checks the job, shows it, asks if there is somebody to ask, enqueues it and waits for it.
    func submit(_ json: JSON, _ configuration: ConfigurationOption) async throws {
        let settings = try configuration.settings()
        let app = try settings.app(called: app ?? "")
        let job: Job
        switch Job.validate(json, app: app.rules) {
        case .success(let valid): job = valid
        case .failure(let violations):
            Submission.refuse(violations, id: id, isJSON: configuration.isJSON)
            throw CommandFailure(.badData)
        }
        if isDryRun { return Submission.show(job, for: app, isJSON: configuration.isJSON) }
        try confirm(job, for: app)
        try await Assembly.use(configuration) { assembly in
            let queue = assembly.queue(of: app)
            guard let enqueued = try await Submission.enqueue(job, in: queue, line: nil, configuration.isJSON) else {
                throw CommandFailure(.badData)
            }
            guard let wait else { return }
            try await Waiting(for: wait, of: enqueued, in: queue, assembly).run(within: timeout, configuration.isJSON)
        }
    }

    private func confirm(_ job: Job, for app: AppSettings) throws(CommandFailure) {
        guard !isConfirmed, Terminal.canAsk else { return }
        for line in Submission.summary(of: job, for: app) { Output.note(line) }
        let answer = Terminal.ask("Ask Apple for this? [y/N] ")?.lowercased()
        guard answer == "y" || answer == "yes" else {
            throw CommandFailure(.tryAgain, "nothing was enqueued")
        }
    }
}

extension Priority: ArgumentValue {}
