import Arguments
import Configuration
import Queue
import Refunds

struct JobsList: Command {
    static let name = "jobs list"
    static let summary = "Jobs of a transaction, in a state, or of a time."
    static let discussion = """
        Reads the places where such jobs are and never scans all keys, so one of --transaction, --state and --since is \
        needed. Several of them narrow the list.
        """
    static let arguments: [Argument<Self>] =
        [
            .option("--transaction", "ID", \.transaction, "All jobs about a transaction or its subscription."),
            .option("--state", "STATE", \.state, "All jobs in a state."),
            .option("--since", "TIME", \.since, "Jobs that anything happened to since then: 2h, 2026-11-30, …"),
            .option("--app", "APP", \.apps, "Only of this app; all apps otherwise."),
            .option("--limit", "N", \.limit, "At most so many of each app."),
        ] + ConfigurationOption.arguments.within(\.configuration)
    static let examples = [
        Example("jobs list --transaction 2000000123456789", "Everything that was ever asked about a purchase."),
        Example("jobs list --state unclear", "What may have arrived at Apple without an answer."),
        Example("jobs list --since 2h --app audiobooks --json", "The last two hours, for a program."),
    ]

    var transaction: String?
    var state: JobState?
    var since: Moment?
    var apps: [String] = []
    var limit = 100
    var configuration = ConfigurationOption()

    func validate() throws(UsageError) {
        if transaction == nil, state == nil, since == nil {
            throw .invalid("a list of everything could be endless; say --transaction, --state or --since")
        }
        if limit < 1 { throw .invalid("--limit expects at least 1") }
    }

    func run() async throws {
        try await Assembly.use(configuration) { assembly in
            var table = Table([
                .text("ID"), .text("APP"), .text("STATE"), .text("OPERATION"), .long("TRANSACTION"),
                .number("ATTEMPTS"), .text("ENQUEUED"), .long("NOTE"),
            ])
            for app in try assembly.apps(apps) {
                let queue = assembly.queue(of: app)
                for id in try await ids(in: queue) {
                    guard let record = try await queue.show(id), isWanted(record) else { continue }
                    if configuration.isJSON {
                        Output.line(try await JobReport(record, in: queue, withLedger: false).json)
                    } else {
                        table.add(
                            id, app.name, record.state.rawValue, record.operation.rawValue, record.transactionId,
                            String(record.attempts.count), Moment(milliseconds: record.enqueuedAt).text,
                            note(on: record))
                    }
                }
            }
            guard !configuration.isJSON else { return }
            if table.rows.isEmpty { Output.note("no such jobs") } else { table.print() }
        }
    }

    private func ids(in queue: JobQueue) async throws(QueueError) -> [String] {
        if let transaction { return try await Array(queue.jobs(ofTransaction: transaction).prefix(limit)) }
        if let state { return try await queue.jobs(in: state, limit: limit) }
        return try await queue.jobs(since: since?.milliseconds ?? 0, limit: limit)
    }

    private func isWanted(_ record: JobRecord) -> Bool {
        if let state, record.state != state { return false }
        guard let since else { return true }
        let last = record.attempts.last.map { $0.endedAt ?? $0.startedAt } ?? record.enqueuedAt
        return transaction == nil && state == nil || last >= since.milliseconds
    }

    private func note(on record: JobRecord) -> String {
        if let other = record.waitsFor { return "waits for \(other)" }
        if let worker = record.worker, record.state == .sending { return "at \(worker)" }
        if let question = record.openQuestion { return question }
        if let last = record.attempts.last, record.state != .accepted { return last.errorName ?? last.result }
        return ""
    }
}

extension JobState: ArgumentValue {}
