import Arguments
import Configuration
import Queue
import Refunds

struct DeadDiscard: Command {
    static let name = "dead discard"
    static let summary = "Close dead letters for good."
    static let discussion = """
        The ledger keeps what they were and why you closed them. A letter whose request may have arrived at Apple needs \
        --outcome: look the transaction up first, then state what you found.
        """
    static let arguments: [Argument<Self>] =
        [
            .positional("ID", \.ids, "Which letters; without any, all that match the options."),
            .option("--outcome", "FOUND", \.outcome, "What became of a request that may have arrived."),
            .flag("--yes", \.isConfirmed, "Don't ask before many are discarded."),
        ] + LetterChoice.arguments.within(\.choice).titled("Choosing")
        + ActOption.arguments.within(\.act).titled("For the ledger")
        + ConfigurationOption.arguments.within(\.configuration).titled("General")
    static let examples = [
        Example("dead discard case-4711 --why 'refunded by hand'", "One letter."),
        Example(
            "dead discard case-4711 --outcome refunded --why 'seen in the refund history'",
            "One whose request may have arrived."),
    ]

    var ids: [String] = []
    var outcome: Finding?
    var isConfirmed = false
    var choice = LetterChoice()
    var act = ActOption()
    var configuration = ConfigurationOption()

    func validate() throws(UsageError) {
        if ids.isEmpty, choice.isEmpty {
            throw .invalid("name letters, or choose them by --app, --reason, --code or --since")
        }
        if ids.isEmpty, outcome != nil {
            throw .invalid("--outcome states what was found about one letter, so name its ID")
        }
    }

    func run() async throws {
        let act = try act.act()
        try await Assembly.use(configuration) { assembly in
            var matches = try await choice.matches(ids, in: assembly)
            if ids.isEmpty { try await choice.each(of: assembly) { matches.append($0) } }
            try confirm(matches.count)
            var failures = 0
            for match in matches {
                let result = try await match.queue.discard(match.letter.id, act: act, finding: outcome)
                if result != .discarded { failures += 1 }
                report(match.letter, result)
            }
            if ids.isEmpty { Output.note("\(matches.count - failures) discarded, \(failures) left") }
            if failures > 0 { throw CommandFailure(.badData) }
        }
    }

    private func confirm(_ count: Int) throws(CommandFailure) {
        guard ids.isEmpty, count > 0, !isConfirmed else { return }
        guard let answer = Terminal.ask("Discard \(count) letters for good? [y/N] ") else { return }
        guard ["y", "yes"].contains(answer.lowercased()) else {
            throw CommandFailure(.tryAgain, "nothing was discarded")
        }
    }

    private func report(_ letter: DeadLetter, _ result: Discard) {
        guard !configuration.isJSON else {
            return Output.line(
                .object(
                    JSONObject([
                        "id": .string(letter.id), "app": .string(letter.app), "result": .string(result.rawValue),
                    ])))
        }
        let sentence =
            switch result {
            case .discarded: "discarded"
            case .missing: "there is no such letter any more"
            case .notDead: "is no dead letter any more"
            case .open:
                "left: its request may have arrived; look the transaction up and say --outcome refunded or notRefunded"
            }
        Output.line("\(letter.id)  \(sentence)".printable)
    }
}

extension Finding: ArgumentValue {}
