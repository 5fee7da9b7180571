import AppStoreSimulator
import Foundation
import Queue
import Refunds

/// The summary for people: what was promised, the number that shows it, and who counted it.
struct DemoText {
    private let report: DemoReport
    private let width: Int
    private let isColoured: Bool

    init(_ report: DemoReport, width: Int, isColoured: Bool) {
        self.report = report
        self.width = min(max(width, 40), 100)
        self.isColoured = isColoured
    }

    var lines: [String] {
        let blocks = [requests, jobs, letters, paused, killed, verdict]
        return [""] + blocks.filter { !$0.isEmpty }.joined(separator: [""])
    }

    // MARK: Blocks

    private var requests: [String] {
        let audit = report.audit
        let faults = audit.faults.filter { DemoText.faults[$0.key] != nil }
        let apps = audit.rates.map { "\($0.bundleId.split(separator: ".").last ?? "") \($0.mostInASecond)" }
        return heading("What arrived at Apple, counted from the simulator's journal")
            + rows([
                (audit.arrivals, "requests sent", ""),
                (report.accepted, "accepted", ""),
                (
                    audit.repeats, "repeated with the same id",
                    audit.repeatsWithOtherBytes == 0
                        ? "each with the same bytes" : "\(audit.repeatsWithOtherBytes) WITH OTHER BYTES"
                ),
                (
                    faults.values.reduce(0, +), "went wrong on the way",
                    faults.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
                        .map { unbroken("\($0.value)× \(DemoText.faults[$0.key] ?? $0.key)") }.joined(separator: "; ")
                ),
                (
                    report.mostInASecond, "most in any sliding second",
                    "limit 5: " + apps.joined(separator: ", ")
                ),
                (report.twice, "refunds taken twice", "by transaction and SKU, of \(audit.refunds.count) refunds"),
            ])
    }

    /// Faults by their names in the journal.
    private static let faults = [
        "cut-after": "processed, then cut", "hang-after": "processed, then silence",
        "500-after": "processed, then a 500", "cut": "cut", "500": "500", "503": "503 in HTML",
        "4290000": "429 with Retry-After in ms",
    ]

    private var jobs: [String] {
        let census = report.census
        let explained: [String: String] = [
            "accepted": "Apple answered 200", "done": "subscriptions that don't renew",
            "dead": "refused by Apple; see below", "held": "the customer asked Apple too: its outcome decides",
            "unclear": "nobody knows what Apple did: the next request repeats the same id",
            "queued": "behind the pause", "unread": "behind the pause, still as their producer wrote them",
        ]
        let states = census.counts(in: report.day)
        return heading("Where the \(report.day.jobs.count) jobs are, asked from Redis one by one")
            + wrapped(
                "\(report.day.jobs.count - report.campaign.enqueued) came by raw XADD, \(report.campaign.enqueued) by kulanz "
                    + "enqueue; of its \(report.day.campaign.count) lines \(report.campaign.duplicates) came twice and "
                    + "counts once, \(report.campaign.refused) was refused with every reason.", indent: 7)
            + rows(states.map { ($0.count, $0.word, explained[$0.word] ?? "") })
            + rows([
                (report.census.lost.count, "lost", ""),
                (
                    report.neverTaken.count + report.takenUnknown.count, "disagree with the journal",
                    "each accepted was taken, each taken is known"
                ),
            ])
    }

    private var letters: [String] {
        let letters = report.census.letters
        let reasons = report.reasons.map { reason in
            let names = reason.names.map { unbroken($0.count > 1 ? "\($0.count)× \($0.name)" : $0.name) }
            let meaning = DeadReason(rawValue: reason.reason)?.meaning ?? ""
            return (reason.count, reason.reason, names.isEmpty ? meaning : names.joined(separator: ", "))
        }
        let examples = ["unknownField", "InvalidAmountError"].compactMap { name in letters.first { $0.name == name } }
        return heading("\(letters.count) dead letters; each says what happened and what can be done")
            + rows(reasons)
            + examples.flatMap { wrapped("\($0.id): " + explanation(of: $0), indent: 7) }
    }

    private func explanation(of letter: DeadLetter) -> String {
        // Of several violations the first will do here.
        let hint = letter.hint.split(whereSeparator: \.isNewline).first ?? ""
        guard let error = letter.code.flatMap({ Int64($0) }).flatMap({ AppleError.catalogue[$0] }) else {
            return String(hint)
        }
        return "Apple says \(error.code), \(error.meaning). What to do: \(hint)."
    }

    private var paused: [String] {
        guard let app = report.paused, let pause = app.paused else { return [] }
        return heading("\(app.app) is paused, and none of its jobs was burnt")
            + wrapped(
                "\(pause.why). \(report.requestsOfLapsed) requests found it out; \(report.waitingOfPaused) jobs wait as if "
                    + "nothing had happened, \(report.burnt) died of it.", indent: 7)
            + wrapped("When the addendum is accepted: kulanz apps resume \(app.app) --why '…'", indent: 7)
    }

    private var killed: [String] {
        guard let kill = report.kill else { return [] }
        guard !kill.lost.isEmpty else {
            return heading("Worker \(kill.worker) was killed with -9; its last answer was recorded just before")
        }
        let ids = kill.lost.map(\.id).joined(separator: ", ")
        let count = kill.lost.count { kill.taken.contains($0.id) }
        let which = kill.lost.count == 1 ? "it" : "\(count) of them"
        let taken = count > 0 ? "Apple had taken \(which) already, and nobody else could know. " : ""
        let ending =
            if let owned = kill.ownedAgainAfter, let sent = kill.sentAgainAfter {
                "After \(owned.inSeconds) the others had taken over what it held, after \(sent.inSeconds) they had "
                    + "repeated it with the same ids and bytes."
            } else {
                "What it held had not been sent again when the time was over."
            }
        return heading("Worker \(kill.worker) was killed with -9 while it sent \(ids)")
            + wrapped(taken + ending, indent: 7)
    }

    /// Kept on one line by `wrapped`.
    private func unbroken(_ text: String) -> String { text.replacing(" ", with: "\u{A0}") }

    private var verdict: [String] {
        let time = report.seconds.inSeconds
        switch report.verdict {
        case .asPromised:
            return [
                marked("All as promised: none twice, none lost, never more than five a second.", "32") + " (\(time))"
            ]
        case .inconclusive(let doubts):
            return [marked("Nothing was seen broken, but not everything was proven (\(time)):", "33")]
                + doubts.flatMap { wrapped($0, indent: 2) }
        case .broken(let broken):
            return [marked("NOT AS PROMISED (\(time)):", "31")] + broken.flatMap { wrapped($0, indent: 2) }
        }
    }

    // MARK: Layout

    private func heading(_ text: String) -> [String] { wrapped(text, indent: 0).map { marked($0, "1") } }

    private func marked(_ text: String, _ code: String) -> String {
        isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }

    /// A number, what it counts, and a remark that goes to lines of its own where the window is narrow.
    private func rows(_ rows: [(number: Int, what: String, remark: String)]) -> [String] {
        let column = 9 + min(30, rows.map(\.what.count).max() ?? 0)
        return rows.flatMap { row -> [String] in
            let number = String(row.number)
            let term = String(repeating: " ", count: max(0, 5 - number.count)) + number + "  " + row.what
            guard !row.remark.isEmpty else { return [term] }
            guard width >= 76 else { return [term] + wrapped(row.remark, indent: 7) }
            var lines = wrapped(row.remark, indent: column)
            guard let first = lines.first, term.count + 2 <= column else { return [term] + lines }
            lines[0] = term + first.dropFirst(term.count)
            return lines
        }
    }

    private func wrapped(_ text: String, indent: Int) -> [String] { text.wrapped(to: width, indent: indent) }
}
