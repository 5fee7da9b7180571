import Arguments
import Configuration
import Queue
import Refunds

struct DeadList: Command {
    static let name = "dead list"
    static let summary = "What needs a person: the dead letters, oldest first."
    static let arguments: [Argument<Self>] =
        LetterChoice.arguments.within(\.choice) + ConfigurationOption.arguments.within(\.configuration)
    static let examples = [
        Example("dead list --app audiobooks --since 1d", "What died today."),
        Example("dead list --code 4000181 --json", "All with one of Apple's errors, for a program."),
    ]

    var choice = LetterChoice()
    var configuration = ConfigurationOption()

    func run() async throws {
        try await Assembly.use(configuration) { assembly in
            var table = Table([
                .text("ID"), .text("APP"), .text("REASON"), .long("ERROR"), .number("SENT"), .text("DIED"),
                .long("WHAT TO DO"),
            ])
            try await choice.each(of: assembly) { match in
                let letter = match.letter
                guard !configuration.isJSON else { return Output.line(letter.json) }
                table.add(
                    letter.id, letter.app, letter.reason + (letter.isOpen ? " (open)" : ""),
                    [letter.code, letter.name].compactMap(\.self).joined(separator: " "), String(letter.attempts),
                    Moment(milliseconds: letter.at).text, letter.hint)
            }
            guard !configuration.isJSON else { return }
            if table.rows.isEmpty { Output.note("no dead letters") } else { table.print() }
        }
    }
}

extension DeadLetter {
    /// The job as it lies in the letter, tokens included: to be enqueued again, never to be shown.
    var producersJob: JSON { (try? JSON(reading: job)) ?? .null }

    var json: JSON {
        let job = producersJob.withoutTokens
        var object = JSONObject([
            "id": .string(id), "app": .string(app), "reason": .string(reason), "code": code.flatMap(Int64.init).orNull,
            "name": name.orNull, "hint": .string(hint), "at": .integer(at), "attempts": .integer(Int64(attempts)),
            "job": job,
        ])
        if isOpen { object["open"] = .bool(true) }
        object["conflictsWith"] = conflictsWith.map(JSON.string)
        return .object(object)
    }
}

extension JSON {
    /// The tokens of a job's requestInfo are blotted out: they are the customer's.
    fileprivate var withoutTokens: JSON {
        guard case .object(var job) = self, case .object(var request)? = job["request"],
            case .object(var info)? = request["requestInfo"]
        else { return self }
        for name in ["appAccountToken", "consistencyToken"] where info[name] != nil {
            info[name] = .string("<redacted>")
        }
        request["requestInfo"] = .object(info)
        job["request"] = .object(request)
        return .object(job)
    }
}
