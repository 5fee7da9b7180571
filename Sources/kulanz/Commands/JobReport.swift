import Queue
import Refunds

/// A job as `jobs show` tells it, to programs and to people.
struct JobReport {
    private let record: JobRecord
    private let letter: DeadLetter?
    private let ledger: [[String: String]]?

    init(_ record: JobRecord, in queue: JobQueue, withLedger: Bool) async throws(QueueError) {
        self.record = record
        letter = record.state == .dead ? try await queue.deadLetter(record.id) : nil
        ledger = withLedger ? try await queue.ledger(of: record.id, since: record.enqueuedAt) : nil
    }

    // MARK: For programs

    var json: JSON {
        var object = JSONObject([
            "id": .string(record.id), "app": .string(record.app), "operation": .string(record.operation.rawValue),
            "transactionId": .string(record.transactionId), "priority": .string(record.priority.rawValue),
            "state": .string(record.state.rawValue), "requestReferenceId": .string(record.referenceId.text),
            "enqueuedAt": .integer(record.enqueuedAt), "dueAt": record.dueAt.orNull,
            "attempts": .array(record.attempts.map(Self.json)), "items": .array(items), "error": error,
            "requestedBy": (record.job?.requestedBy).orNull, "note": (record.job?.note).orNull,
        ])
        // Only where there is something to say.
        object["waitsFor"] = record.waitsFor.map(JSON.string)
        object["worker"] = record.worker.map(JSON.string)
        object["question"] = record.openQuestion.map(JSON.string)
        object["finding"] = record.finding.map(JSON.string)
        object["ledger"] = ledger.map { .array($0.map(Self.json)) }
        return .object(object)
    }

    private static func json(_ attempt: Attempt) -> JSON {
        .object(
            JSONObject([
                "number": .integer(Int64(attempt.number)), "requestReferenceId": .string(attempt.referenceId),
                "startedAt": .integer(attempt.startedAt), "endedAt": attempt.endedAt.orNull,
                "result": .string(attempt.result), "httpStatus": attempt.httpStatus.map(Int64.init).orNull,
                "errorCode": attempt.errorCode.orNull, "errorName": attempt.errorName.orNull,
            ]))
    }

    private static func json(_ line: [String: String]) -> JSON {
        var object = JSONObject()
        for (key, value) in line.sorted(by: { $0.key < $1.key }) { object[key] = .string(value) }
        return .object(object)
    }

    private var items: [JSON] {
        (record.job?.request.items ?? []).map { item in
            .object(JSONObject(["SKU": .string(item.sku), "state": .string(record.state.rawValue)]))
        }
    }

    private var error: JSON {
        guard let letter else { return .null }
        return .object(
            JSONObject([
                "reason": .string(letter.reason), "code": letter.code.flatMap(Int64.init).orNull,
                "name": letter.name.orNull, "hint": .string(letter.hint),
            ]))
    }

    // MARK: For people

    var lines: [String] {
        var lines = [
            "job          \(record.id)  (\(record.app))", "state        \(record.state.rawValue)\(stateNote)",
            "operation    \(record.operation.rawValue) of transaction \(record.transactionId)",
            "lane         \(record.priority.rawValue)", "reference    \(record.referenceId)",
            "enqueued     \(Moment(milliseconds: record.enqueuedAt).text)",
        ]
        if let other = record.waitsFor { lines.append("waits for    \(other)") }
        if let question = record.openQuestion {
            lines.append("question     \(question)")
            lines.append("             Nothing more is sent for it until that is known.")
        }
        if let due = record.dueAt { lines.append("due          \(Moment(milliseconds: due).text)") }
        for item in record.job?.request.items ?? [] {
            lines.append("item         \(item.sku): \(item.refundType.rawValue), \(item.refundReason.rawValue)")
        }
        if let who = record.job?.requestedBy { lines.append("asked by     \(who)") }
        if let note = record.job?.note { lines.append("note         \(note)") }
        if let letter {
            let name = [letter.code, letter.name].compactMap(\.self).joined(separator: " ")
            lines.append("dead         \(letter.reason)\(name.isEmpty ? "" : ", \(name)")")
            lines.append("to do        \(letter.hint)")
        }
        return lines.map(\.printable) + attemptLines + ledgerLines
    }

    private var stateNote: String {
        if let worker = record.worker { return ", at \(worker)" }
        if let finding = record.finding { return ", found: \(finding)" }
        return record.isOpen ? ", a request may have arrived" : ""
    }

    private var attemptLines: [String] {
        guard !record.attempts.isEmpty else { return [] }
        var table = Table([
            .number("#"), .text("STARTED"), .number("TOOK"), .text("RESULT"), .text("HTTP"), .long("ERROR"),
            .long("REFERENCE"),
        ])
        for attempt in record.attempts {
            let error = [attempt.errorCode.map(String.init), attempt.errorName].compactMap(\.self)
            table.add(
                String(attempt.number), Moment(milliseconds: attempt.startedAt).text,
                attempt.endedAt.map { "\($0 - attempt.startedAt) ms" } ?? "under way", attempt.result,
                attempt.httpStatus.map(String.init) ?? "", error.joined(separator: " "), attempt.referenceId)
        }
        return [""] + table.lines(width: Terminal.width)
    }

    private var ledgerLines: [String] {
        guard let ledger, !ledger.isEmpty else { return [] }
        let lines = ledger.map { line in
            let time = line["at"].flatMap(Int64.init).map { Moment(milliseconds: $0).text } ?? ""
            let rest = line.filter { !["at", "kind", "id", "app"].contains($0.key) && !$0.value.isEmpty }
            let words = rest.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return ([time, line["kind"] ?? ""] + words).joined(separator: "  ").printable
        }
        return ["", "ledger"] + lines.map { "  " + $0 }
    }
}

extension String? {
    var orNull: JSON { map(JSON.string) ?? .null }
}

extension Int64? {
    var orNull: JSON { map(JSON.integer) ?? .null }
}
