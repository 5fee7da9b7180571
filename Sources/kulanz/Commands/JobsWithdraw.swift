import Arguments
import Configuration
import Fleet
import Queue
import Refunds

struct JobsWithdraw: Command {
    static let name = "jobs withdraw"
    static let summary = "Take jobs back that were not sent yet."
    static let discussion = """
        They become dead letters with the reason “withdrawn”, from where they can be redriven. A job whose request may \
        have arrived at Apple is named and left alone.
        """
    static let arguments: [Argument<Self>] =
        [
            .positional("ID", \.ids, "Which jobs; without any, --requested-by and --since choose."),
            .option("--app", "APP", \.app, "The app; needed without ids."),
            .option("--requested-by", "NAME", \.requestedBy, "All that this one asked for …"),
            .option("--since", "TIME", \.since, "… since then."),
            .flag("--dry-run", \.isDryRun, "Only say what would become of them."),
        ] + ActOption.arguments.within(\.act) + ConfigurationOption.arguments.within(\.configuration)
    static let examples = [
        Example("jobs withdraw case-4711 case-4712 --why 'customer changed her mind'", "Two jobs."),
        Example(
            "jobs withdraw --app audiobooks --requested-by campaign-7 --since 1h --dry-run",
            "What a campaign that went wrong has in the queue."),
    ]

    var ids: [String] = []
    var app: String?
    var requestedBy: String?
    var since: Moment?
    var isDryRun = false
    var act = ActOption()
    var configuration = ConfigurationOption()

    func validate() throws(UsageError) {
        let chooses = requestedBy != nil || since != nil
        if !ids.isEmpty, chooses { throw .invalid("either ids or --requested-by with --since, not both") }
        if ids.isEmpty, app == nil || requestedBy == nil || since == nil {
            throw .invalid("name jobs, or choose them by --app, --requested-by and --since together")
        }
    }

    func run() async throws {
        let act = try act.act(isWhyNeeded: false)
        try await Assembly.use(configuration) { assembly in
            var left: [String: Withdrawal] = [:]
            var missing = Set(ids)
            for app in try assembly.apps(app.map { [$0] } ?? []) {
                let queue = assembly.queue(of: app)
                if ids.isEmpty { try await takeIn(app, queue) }
                let wanted = ids.isEmpty ? try await chosen(in: queue) : ids
                guard !wanted.isEmpty else { continue }
                for (id, verdict) in try await queue.withdraw(wanted, act: act, isDryRun: isDryRun) {
                    if verdict == .missing { continue }
                    missing.remove(id)
                    if verdict != .withdrawn { left[id] = verdict }
                    report(id, of: app.name, verdict)
                }
            }
            for id in ids where missing.contains(id) { report(id, of: nil, .missing) }
            if !missing.isEmpty { throw CommandFailure(.noSuchThing) }
            if !left.isEmpty { throw CommandFailure(.badData) }
        }
    }

    /// Makes jobs of what producers added to the lanes by themselves, for only a job says who asked for it. While an app
    /// is paused, which is when one withdraws, no worker does that.
    private func takeIn(_ app: AppSettings, _ queue: JobQueue) async throws(QueueError) {
        let judge = EntryJudge(app.rules)
        for lane in Priority.allCases {
            var entries = try await queue.takeUnread(in: lane, limit: 256)
            while !entries.isEmpty {
                _ = try await queue.adopt(entries.map { ($0, judge.judge($0)) })
                entries = try await queue.takeUnread(in: lane, limit: 256)
            }
        }
    }

    private func chosen(in queue: JobQueue) async throws(QueueError) -> [String] {
        var ids: [String] = []
        for id in try await queue.jobs(since: since?.milliseconds ?? 0, limit: .max) {
            guard let record = try await queue.show(id), record.job?.requestedBy == requestedBy else { continue }
            if record.state == .queued || record.state == .waiting { ids.append(id) }
        }
        return ids
    }

    private func report(_ id: String, of app: String?, _ verdict: Withdrawal) {
        let (word, sentence) = Self.words(for: verdict, isDryRun: isDryRun)
        guard configuration.isJSON else { return Output.line("\(id)  \(sentence)".printable) }
        Output.line(
            .object(
                JSONObject([
                    "id": .string(id), "app": app.orNull, "withdrawn": .bool(verdict == .withdrawn && !isDryRun),
                    "result": .string(word),
                ])))
    }

    private static func words(for verdict: Withdrawal, isDryRun: Bool) -> (String, String) {
        switch verdict {
        case .withdrawn: isDryRun ? ("wouldWithdraw", "would be withdrawn") : ("withdrawn", "withdrawn")
        case .open: ("open", "left alone: its request may have arrived at Apple")
        case .missing: ("missing", "there is no such job")
        case .notWithdrawable(let state): (state.rawValue, "left alone: it is \(state.rawValue)")
        }
    }
}
