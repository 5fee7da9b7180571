import EventLoop
import HTTP
import Queue
import Refunds
import Telemetry

/// Tells people: one line in the log and one POST to the app's webhook for each cause.
///
/// Alarms are written by the scripts, in the same step as what they are about; whichever worker takes one tells it, and
/// what a worker took and didn't live to tell, another tells after `WorkerOptions.alarmPatience`.
struct Herald: Sendable {
    private let http: HTTPClient
    private let domain: LoopDomain
    private let patience: Duration
    private let log: Log

    /// - Parameter patience: how long an alarm is left to the worker that took it.
    init(http: HTTPClient, domain: LoopDomain, patience: Duration, log: Log) {
        self.http = http
        self.domain = domain
        self.patience = patience
        self.log = log
    }

    func tell(_ app: FleetApp, as worker: String) async {
        do {
            // One at a time: a second one would wait in this worker's hands while the first is told, and look forgotten.
            while let alarm = try await app.queue.takeAlarms(worker: worker, patience: patience, limit: 1).first {
                let message = Message(alarm, app: app.name)
                log(message.level, message.text, ["app": app.name, "alarm": alarm.kind, "do": message.todo])
                await post(message, to: app)
                try await app.queue.told(alarm)
            }
        } catch {
            log(.warning, "an alarm could not be told yet", ["app": app.name, "error": "\(error)"])
        }
    }

    private static let pauses = [Duration.zero, .seconds(1), .seconds(5)]
    private static let deadline = Duration.seconds(10)
    /// How long one alarm takes if its webhook is silent to the last.
    static var longestTelling: Duration { pauses.reduce(.zero) { $0 + $1 + deadline } }

    private func post(_ message: Message, to app: FleetApp) async {
        guard let webhook = app.webhook else { return }
        let request = HTTPRequest(
            method: "POST", url: webhook, headers: [("Content-Type", "application/json")], body: message.body)
        for wait in Self.pauses {
            if wait > .zero { try? await domain.sleep(for: wait) }
            let outcome = await http.send(request, deadline: Self.deadline) { true }
            if case .response(let response) = outcome, (200..<300).contains(response.status) { return }
        }
        log(.error, "the alarm webhook did not take the alarm", ["app": app.name])
    }
}

/// An alarm in words.
struct Message {
    let level: Log.Level
    let text: String
    /// What a person can do, as a command where there is one.
    let todo: String
    let body: [UInt8]

    init(_ alarm: Alarm, app: String) {
        switch alarm.kind {
        case "paused":
            level = .error
            text = "App \(app) is paused and sends nothing: \(alarm["why"]). Its jobs wait unsent and lose nothing."
            todo = "When that is mended: kulanz apps resume \(app) --why '…'"
        case "resumed":
            level = .notice
            text = "All clear: app \(app) sends again, resumed by \(alarm["by"])."
            todo = ""
        case "appleDown":
            level = .error
            text = "Apple gives app \(app) no answer that says anything; one probe at a time goes until it does."
            todo = "Nothing is lost and no attempt is burnt. Look at Apple's system status: kulanz apps list"
        case "appleBack":
            level = .notice
            text = "All clear: Apple answers app \(app) again."
            todo = ""
        case "rateLimited":
            level = .warning
            text = "Apple answered app \(app) with 429 although the gate kept its rate."
            todo = "Find out who else uses this app's quota, or lower apps.\(app).limit.requestsPerSecond."
        case "unknownStream":
            level = .warning
            text = "No worker reads the stream \(alarm["stream"]). What waits in it: \(alarm["entries"])."
            todo = "Mend its producer: kulanz:{app}:jobs:urgent, normal or bulk, braces included. See: kulanz apps list"
        case "entriesDeleted":
            level = .error
            text =
                "Somebody deleted from \(alarm["stream"]) before a worker read it, and these jobs are lost: "
                + "\(alarm["entries"])."
            todo = "Look for XDEL, XTRIM and XADD with MAXLEN in its producers, and have them send those jobs again."
        case "laneDeleted":
            level = .error
            text = "Somebody deleted the stream \(alarm["stream"]) as a whole, and what it held is lost."
            todo =
                "Have its producers send again what isn't known to kulanz jobs list; the same ids are no second jobs."
        case "wrongKind":
            level = .error
            text = "\(alarm["stream"]) is a \(alarm["type"]), not a stream: app \(app) can't read it and sends nothing."
            todo = "Find who wrote it, move what it holds, and delete it: producers use XADD."
        default:
            level = .warning
            text = "App \(app): \(alarm.kind) \(alarm["why"])"
            todo = ""
        }
        var fields = JSONObject([
            "id": .string(alarm.entryId), "kind": .string(alarm.kind), "app": .string(app), "text": .string(text),
            "do": .string(todo),
        ])
        for (name, value) in alarm.fields.sorted(by: { $0.key < $1.key }) where fields[name] == nil {
            fields[name] = name == "at" ? Int64(value).map(JSON.integer) : .string(value)
        }
        body = Array(JSON.object(fields).text.utf8)
    }
}
