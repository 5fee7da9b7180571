import Arguments
import Configuration
import Foundation
import Queue
import Refunds

struct DeadExport: Command {
    static let name = "dead export"
    static let summary = "The dead letters as a table for a spreadsheet, or as JSON Lines to mend and enqueue again."
    static let discussion = """
        --format csv has one line a letter. --format jobs has the jobs themselves, ready for “kulanz enqueue” after they \
        were mended and given an id of their own; letters whose request may have arrived are left out and named, since \
        only a redrive can repeat those safely.
        """
    static let arguments: [Argument<Self>] =
        [
            .option("--format", "FORMAT", \.format, "csv (default), jobs, or json: what dead list --json prints."),
            .option("--to", "FILE", \.file, "Write there; standard output otherwise. A file that is there is kept."),
        ] + LetterChoice.arguments.within(\.choice).titled("Choosing")
        + ConfigurationOption.arguments.within(\.configuration).titled("General")
    static let examples = [
        Example("dead export --app audiobooks --since 1d > dead.csv", "Today's, for finance."),
        Example("dead export --reason rejected --format jobs --to mend.jsonl", "To be mended by hand."),
    ]

    enum Format: String, CaseIterable, ArgumentValue { case csv, jobs, json }

    var format = Format.csv
    var file: String?
    var choice = LetterChoice()
    var configuration = ConfigurationOption()

    func run() async throws {
        let sink = try Sink(file)
        do { try await export(to: sink) } catch {
            sink.discard()
            throw error
        }
    }

    private func export(to sink: Sink) async throws {
        try await Assembly.use(configuration) { assembly in
            var count = 0
            var open: [String] = []
            if format == .csv { try sink.line(CSV.line(Self.columns)) }
            try await choice.each(of: assembly) { match in
                guard let line = line(match.letter) else {
                    open.append(match.letter.id)
                    return
                }
                try sink.line(line)
                count += 1
            }
            try sink.close()
            if !open.isEmpty {
                Output.note(
                    "\(open.count) left out, since a request may have arrived or there is no job to read: \(open.prefix(10).joined(separator: " "))"
                )
            }
            if let file { Output.note("\(count == 1 ? "1 letter" : "\(count) letters") in \(file)") }
        }
    }

    private static let columns = [
        "id", "app", "reason", "code", "name", "at", "attempts", "open", "transactionId", "hint", "job",
    ]

    private func line(_ letter: DeadLetter) -> String? {
        switch format {
        case .json: return letter.json.text
        case .jobs:
            guard !letter.isOpen, letter.json["job"]?["raw"] == nil else { return nil }
            return letter.jobToEnqueue.text
        case .csv:
            return CSV.line([
                letter.id, letter.app, letter.reason, letter.code ?? "", letter.name ?? "",
                Moment(milliseconds: letter.at).text, String(letter.attempts), letter.isOpen ? "yes" : "no",
                letter.json["job"]?["transactionId"]?.string ?? "", letter.hint, letter.json["job"]?.text ?? "",
            ])
        }
    }
}

extension DeadLetter {
    /// The job with its app, which a raw entry need not say since its stream does.
    fileprivate var jobToEnqueue: JSON {
        guard case .object(var job) = producersJob, job["app"] == nil else { return producersJob }
        job["app"] = .string(app)
        return .object(job)
    }
}

/// Lines to a file that was not there before, or to standard output.
private struct Sink {
    private let file: String?
    private let handle: FileHandle?

    init(_ file: String?) throws(CommandFailure) {
        self.file = file
        guard let file else {
            handle = nil
            return
        }
        // Letters may name customers' transactions: the file is its owner's alone.
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure(.badData, "can't write \(file): \(String(cString: strerror(errno)))")
        }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    func line(_ text: String) throws {
        guard let handle else { return Output.line(text) }
        try handle.write(contentsOf: Data((text + "\n").utf8))
    }

    func close() throws { try handle?.close() }

    /// Half a file would look like a whole one, and would be in the way of the next try.
    func discard() { if let file { unlink(file) } }
}

/// RFC 4180, and safe to open in a spreadsheet: a cell that would be taken for a formula gets an apostrophe.
enum CSV {
    static func line(_ cells: [String]) -> String { cells.map(cell).joined(separator: ",") }

    private static func cell(_ text: String) -> String {
        let isFormula = text.first.map { "=+-@\t\r".contains($0) } ?? false
        let text = isFormula ? "'" + text : text
        guard text.contains(where: { ",\"\n\r".contains($0) }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
