import Arguments
import Queue
import Refunds
import Telemetry

struct DeadShow: Command {
    static let name = "dead show"
    static let summary = "One dead letter: what happened, and what can be done."
    static let arguments: [Argument<Self>] =
        [
            .positional("ID", \.id, "The job's id, or the letter's own.").required,
            .option("--app", "APP", \.choice.apps, "Only of this app; all apps otherwise."),
        ] + ConfigurationOption.arguments.within(\.configuration)
    static let examples = [Example("dead show case-4711", "In words.")]

    var id: String?
    var choice = LetterChoice()
    var configuration = ConfigurationOption()

    func run() async throws {
        try await Assembly.use(configuration) { assembly in
            for match in try await choice.matches([id ?? ""], in: assembly) {
                guard !configuration.isJSON else {
                    Output.line(match.letter.json)
                    continue
                }
                for line in lines(of: match.letter) { Output.line(line.printable) }
            }
        }
    }

    private func lines(of letter: DeadLetter) -> [String] {
        var lines = [
            "letter    \(letter.id)  (\(letter.app))", "died      \(Moment(milliseconds: letter.at).text)",
            "reason    \(letter.reason)" + (DeadReason(rawValue: letter.reason).map { ": \($0.meaning)" } ?? ""),
        ]
        if letter.code != nil || letter.name != nil {
            let meaning = letter.code.flatMap(Int64.init).flatMap { AppleError.catalogue[$0]?.meaning }
            let words = [letter.code, letter.name, meaning.map { "(\($0))" }].compactMap(\.self)
            lines.append("Apple     \(words.joined(separator: " "))")
        }
        lines.append("to do     \(letter.hint)")
        if letter.isOpen {
            lines.append("open      a request of it may have arrived: a redrive repeats the same id and bytes")
        }
        if let other = letter.conflictsWith { lines.append("conflict  with job \(other)") }
        lines.append("attempts  \(letter.attempts)")
        // A person needs no account token to decide.
        return lines + ["job       \(redacting(letter.job))"]
    }
}
