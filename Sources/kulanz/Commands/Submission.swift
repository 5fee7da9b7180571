import Configuration
import Queue
import Refunds

/// How a job that is handed in is shown, enqueued and answered; `enqueue` and the single commands do it alike.
enum Submission {
    /// Enqueues a job and prints the answer; nil if the queue refused it.
    /// - Parameter line: of the file it came from.
    static func enqueue(
        _ job: Job, in queue: JobQueue, line: Int?, _ isJSON: Bool
    ) async throws(QueueError) -> Accepted? {
        let entry = try await queue.enqueue(job)
        switch entry {
        case .enqueued(let reference):
            return answer(Accepted(id: job.id, app: job.app, state: .queued, reference: reference), isJSON)
        case .duplicate(let state, let reference):
            return answer(
                Accepted(id: job.id, app: job.app, state: state, reference: reference, isDuplicate: true), isJSON)
        case .conflict:
            let violation = Violation(
                .conflict, at: "id", "a job \(job.id) with other content exists",
                remedy: "if this is another refund, give it an id of its own; see kulanz jobs show \(job.id)")
            refuse(Violations([violation], id: job.id), id: job.id, line: line, isJSON: isJSON)
        case .alreadyRequested(let other):
            let violation = Violation(
                .alreadyRequested, at: "", "job \(other) asks for the same item of this transaction",
                remedy: "look at it (kulanz jobs show \(other)); if both are wanted, say allowRepeat")
            refuse(Violations([violation], id: job.id), id: job.id, line: line, isJSON: isJSON)
        case .referenceUsed(let other):
            let violation = Violation(
                .referenceIdUsed, at: "request.requestInfo.requestReferenceId", "job \(other) has used this id",
                remedy: "leave it out: the fleet makes one")
            refuse(Violations([violation], id: job.id), id: job.id, line: line, isJSON: isJSON)
        }
        return nil
    }

    /// A job that is in the queue, by this call or by an earlier one.
    struct Accepted {
        let id: String
        let app: String
        let state: JobState
        let reference: ReferenceId
        var isDuplicate = false

        var json: JSON {
            .object(
                JSONObject([
                    "id": .string(id), "app": .string(app), "state": .string(state.rawValue),
                    "requestReferenceId": .string(reference.text), "duplicate": .bool(isDuplicate),
                ]))
        }
    }

    private static func answer(_ accepted: Accepted, _ isJSON: Bool) -> Accepted {
        if isJSON {
            Output.line(accepted.json)
        } else {
            let known = accepted.isDuplicate ? ", known already" : ""
            Output.line("\(accepted.id)  \(accepted.state.rawValue)\(known)  (\(accepted.app))")
        }
        return accepted
    }

    static func refuse(_ violations: Violations, id: String?, line: Int? = nil, isJSON: Bool) {
        let name = id ?? violations.id
        guard !isJSON else {
            return Output.line(
                .object(
                    JSONObject([
                        "id": name.map(JSON.string) ?? .null, "line": line.map { .integer(Int64($0)) } ?? .null,
                        "violations": violations.json,
                    ])))
        }
        let place = [line.map { "line \($0)" }, name].compactMap(\.self).joined(separator: ", ")
        Output.note("refused\(place.isEmpty ? "" : " (\(place.printable))"):")
        for violation in violations.all { Output.note("  " + violation.description.printable) }
    }

    // MARK: Before it is sent

    static func show(_ job: Job, for app: AppSettings, isJSON: Bool) {
        let reference = job.referenceId(round: 0, environment: app.environment)
        guard !isJSON else {
            return Output.line(
                .object(
                    JSONObject([
                        "dryRun": .bool(true), "requestReferenceId": .string(reference.text),
                        "job": job.redactedJSON,
                    ])))
        }
        for line in summary(of: job, for: app) { Output.line(line) }
        Output.line("requestReferenceId  \(reference)")
        Output.line("Nothing was enqueued: this was a dry run.")
    }

    /// What a person has to see before saying yes.
    static func summary(of job: Job, for app: AppSettings) -> [String] {
        var lines = ["\(title(of: job.operation))  \(app.name) (\(app.bundleId), \(app.environment.rawValue))"]
        lines.append("transaction         \(job.transactionId)")
        for item in job.request.items {
            lines.append("item                \(item.sku): \(amount(of: item, job)), \(item.refundReason.rawValue)")
            lines.append(
                item.revoke ? "                    the customer loses it" : "                    the customer keeps it")
        }
        if case .revoke(let request) = job.request {
            lines.append("whole subscription  \(request.refundType.rawValue), \(request.refundReason.rawValue)")
        }
        lines.append("job                 \(job.id), \(job.priority.rawValue)")
        if let who = job.requestedBy { lines.append("asked by            \(who)") }
        if let note = job.note { lines.append("note                \(note)") }
        return lines.map(\.printable)
    }

    private static func title(of operation: Operation) -> String {
        switch operation {
        case .refund: "Refund            "
        case .revoke: "Revoke and refund "
        case .cancel: "Cancel renewal    "
        }
    }

    private static func amount(of item: RefundItem, _ job: Job) -> String {
        guard let milliunits = item.refundAmount, let code = job.request.currency, let currency = Currency(code) else {
            return item.refundType.rawValue
        }
        let tax = job.amountIncludesTax.map { $0 ? " with tax" : " without tax" } ?? ""
        return "\(Money(milliunits: milliunits, currency: currency))\(tax)"
    }
}
