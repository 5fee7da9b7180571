import Arguments
import Configuration
import Queue
import Refunds

struct DeadRedrive: Command {
    static let name = "dead redrive"
    static let summary = "Send dead letters again, mended if need be."
    static let discussion = """
        A letter whose request may have arrived goes again under the same id with the same bytes; then nothing can be \
        changed. What identifies a refund (id, app, operation, transactionId) can never be changed.

        Redriven jobs go to the end of their lane and keep to the rate like all others.
        """
    static let arguments: [Argument<Self>] =
        [
            .positional("ID", \.ids, "Which letters; without any, all that match the options."),
            .option(
                "--set", "PATH=VALUE", \.sets,
                "Change one value of the job, such as request.items.0.refundAmount=2500; with one ID only."),
            .flag("--yes", \.isConfirmed, "Don't ask before many are redriven."),
        ] + LetterChoice.arguments.within(\.choice).titled("Choosing")
        + ActOption.arguments.within(\.act).titled("For the ledger")
        + ConfigurationOption.arguments.within(\.configuration).titled("General")
    static let examples = [
        Example(
            "dead redrive case-4711 --set request.items.0.refundAmount=2500 --why 'amount corrected'",
            "Mended and sent again."),
        Example(
            "dead redrive --app audiobooks --reason withdrawn --since 1d --why 'wanted after all'", "All that match."),
    ]

    var ids: [String] = []
    var sets: [String] = []
    var isConfirmed = false
    var choice = LetterChoice()
    var act = ActOption()
    var configuration = ConfigurationOption()

    func validate() throws(UsageError) {
        if ids.isEmpty, choice.isEmpty {
            throw .invalid("name letters, or choose them by --app, --reason, --code or --since")
        }
        if !sets.isEmpty, ids.count != 1 { throw .invalid("--set changes one letter, so name exactly one ID") }
        for set in sets where !set.contains("=") { throw .invalid("--set expects PATH=VALUE, not “\(set)”") }
    }

    func run() async throws {
        let act = try act.act()
        try await Assembly.use(configuration) { assembly in
            let matches = try await chosen(in: assembly)
            try confirm(matches.count, rate: matches.map(\.app.rate.requestsPerSecond).min() ?? 5)
            var failures = 0
            for match in matches where try await !redrive(match, act) { failures += 1 }
            if ids.isEmpty { Output.note("\(matches.count - failures) redriven, \(failures) left") }
            if failures > 0 { throw CommandFailure(.badData) }
        }
    }

    private func chosen(in assembly: Assembly) async throws -> [LetterChoice.Match] {
        guard ids.isEmpty else { return try await choice.matches(ids, in: assembly) }
        var matches: [LetterChoice.Match] = []
        try await choice.each(of: assembly) { matches.append($0) }
        return matches
    }

    private func confirm(_ count: Int, rate: Double) throws(CommandFailure) {
        guard ids.isEmpty, count > 0, !isConfirmed else { return }
        let time = Duration.spoken(milliseconds: Int64(Double(count) / rate * 1000))
        guard let answer = Terminal.ask("Redrive \(count) letters? They take \(time) at \(rate.argument)/s. [y/N] ")
        else {
            return
        }
        guard ["y", "yes"].contains(answer.lowercased()) else {
            throw CommandFailure(.tryAgain, "nothing was redriven")
        }
    }

    private func redrive(_ match: LetterChoice.Match, _ act: Act) async throws -> Bool {
        let letter = match.letter
        guard letter.isOfJob else { return try await revive(match) }
        var mended: Job?
        if !sets.isEmpty {
            guard let job = try await match.queue.show(letter.id)?.job else {
                throw CommandFailure(.badData, "\(letter.id) has no request left to change")
            }
            switch job.applying(sets: pairs, app: match.app.rules) {
            case .success(let job): mended = job
            case .failure(let violations):
                Submission.refuse(violations, id: letter.id, isJSON: configuration.isJSON)
                return false
            }
        }
        switch try await match.queue.redrive(letter.id, act: act, mended: mended) {
        case .queued(let reference):
            report(letter, "queued", "queued again, as \(reference)", reference)
            return true
        case .missing: report(letter, "missing", "there is no such job any more")
        case .notDead(let state): report(letter, state.rawValue, "is no dead letter any more: it is \(state.rawValue)")
        case .open(let reference):
            report(
                letter, "open", "its request may have arrived: only the same bytes can go again, without --set",
                reference)
        case .alreadyRequested(let other):
            report(
                letter, "alreadyRequested",
                "job \(other) asks for the same item; discard this one, or set allowRepeat=true")
        }
        return false
    }

    /// An entry that never became a job: mended it enters like a new one, and its letter goes.
    private func revive(_ match: LetterChoice.Match) async throws -> Bool {
        let letter = match.letter
        let result: Result<Job, Violations>
        do {
            let json = try JSON(reading: letter.job)
            var changed = json
            if json["app"] == nil, case .object(var object) = json {
                object["app"] = .string(match.app.name)
                changed = .object(object)
            }
            result =
                sets.isEmpty
                ? Job.validate(changed, app: match.app.rules)
                : Job.applying(sets: pairs, to: changed, app: match.app.rules)
        } catch {
            report(letter, "unreadable", "what came in is no JSON; enqueue it anew and discard this letter")
            return false
        }
        switch result {
        case .failure(let violations):
            Submission.refuse(violations, id: letter.id, isJSON: configuration.isJSON)
            return false
        case .success(let job):
            switch try await match.queue.enqueue(job, mending: letter.id) {
            case .enqueued(let reference):
                report(letter, "queued", "is now job \(job.id)", reference)
                return true
            case .duplicate(let state, let reference):
                report(letter, state.rawValue, "is known as job \(job.id)", reference)
                return true
            case .conflict: report(letter, "conflict", "job \(job.id) exists with other content")
            case .alreadyRequested(let other): report(letter, "alreadyRequested", "job \(other) asks for the same item")
            case .referenceUsed(let other): report(letter, "referenceIdUsed", "job \(other) has used its id")
            }
            return false
        }
    }

    private var pairs: [(path: String, value: String)] {
        sets.map { set in
            let parts = set.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), String(parts[1]))
        }
    }

    private func report(_ letter: DeadLetter, _ word: String, _ sentence: String, _ reference: ReferenceId? = nil) {
        guard configuration.isJSON else { return Output.line("\(letter.id)  \(sentence)".printable) }
        Output.line(
            .object(
                JSONObject([
                    "id": .string(letter.id), "app": .string(letter.app), "result": .string(word),
                    "requestReferenceId": (reference?.text).orNull,
                ])))
    }
}
