import Arguments
import Configuration
import Queue
import Refunds

struct Enqueue: Command {
    static let name = "enqueue"
    static let summary = "Put jobs into the queue from files of JSON Lines."
    static let discussion = """
        Each line is one job as docs/jobs.md describes it. For each a line comes back: its state and \
        requestReferenceId, or everything that is wrong with it. A bad line doesn't stop the good ones.

        The same id with the same content is the same job: after an interruption just give the same file again.
        """
    static let arguments: [Argument<Self>] =
        [.positional("FILE", \.files, "Files of jobs, one JSON object a line; - is standard input.").required]
        + ConfigurationOption.arguments.within(\.configuration)
    static let examples = [
        Example("enqueue campaign.jsonl", "Exits 0 if all are in, 65 if any was refused."),
        Example(
            "enqueue - --json <jobs.jsonl | jq 'select(.violations)'", "Only what was refused, with the reasons."),
    ]

    var files: [String] = []
    var configuration = ConfigurationOption()

    func run() async throws {
        var tally = Tally()
        // Without a terminal a program reads, and programs read JSON.
        let isJSON = configuration.isJSON || Terminal.width == nil
        try await Assembly.use(configuration) { assembly in
            for file in files {
                let lines = try LineReader(file: file)
                while let line = try lines.next() {
                    try await enqueue(line, of: file, assembly, isJSON, &tally)
                }
            }
        }
        Output.note(tally.sentence)
        if tally.refused > 0 { throw CommandFailure(.badData) }
    }

    private func enqueue(
        _ line: LineReader.Line, of file: String, _ assembly: Assembly, _ isJSON: Bool, _ tally: inout Tally
    ) async throws {
        switch Job.validate(line.bytes, apps: assembly.rules) {
        case .failure(let violations):
            Submission.refuse(violations, id: nil, line: line.number, isJSON: isJSON)
            tally.refused += 1
        case .success(let job):
            let queue = assembly.queue(of: try assembly.settings.app(called: job.app))
            do {
                let accepted = try await Submission.enqueue(job, in: queue, line: line.number, isJSON)
                tally.count(accepted)
            } catch {
                Output.note(
                    "stopped at line \(line.number) of \(file); enqueue the same file again, nothing happens twice")
                throw error
            }
        }
    }

    private struct Tally {
        var enqueued = 0
        var known = 0
        var refused = 0

        mutating func count(_ accepted: Submission.Accepted?) {
            switch accepted?.isDuplicate {
            case false: enqueued += 1
            case true: known += 1
            case nil: refused += 1
            }
        }

        var sentence: String { "\(enqueued) enqueued, \(known) known already, \(refused) refused" }
    }
}
