import EventLoop
import Foundation
import HTTP
import Queue
import Refunds
import Telemetry

/// Tells people: one line in the log and one POST to the app's webhook for each cause.
struct Herald: Sendable {
    private let http: HTTPClient
    private let domain: LoopDomain
    private let log: Log

    init(http: HTTPClient, domain: LoopDomain, log: Log) {
        self.http = http
        self.domain = domain
        self.log = log
    }

    /// An app stopped sending and waits for a person.
    func paused(_ app: FleetApp, reason: PauseReason, act: Act, number: Int) async {
        let text = "App \(app.name) is paused and sends nothing: \(act.why). Its jobs wait unsent and lose nothing."
        let todo = "When that is mended: kulanz apps resume \(app.name) --why '…'"
        log(.error, text, ["app": app.name, "reason": reason.rawValue, "pause": "\(number)", "do": todo])
        await post(
            to: app,
            JSONObject([
                "kind": .string("paused"), "app": .string(app.name), "reason": .string(reason.rawValue),
                "text": .string(text), "do": .string(todo), "by": .string(act.by),
                "pause": .number(JSONNumber(Int64(number))),
                "at": .number(JSONNumber(Int64(Date().timeIntervalSince1970 * 1000))),
            ]))
    }

    private func post(to app: FleetApp, _ body: JSONObject) async {
        guard let webhook = app.webhook else { return }
        let request = HTTPRequest(
            method: "POST", url: webhook, headers: [("Content-Type", "application/json")],
            body: Array(JSON.object(body).text.utf8))
        for wait in [Duration.zero, .seconds(1), .seconds(5)] {
            if wait > .zero { try? await domain.sleep(for: wait) }
            let outcome = await http.send(request, deadline: .seconds(10)) { true }
            if case .response(let response) = outcome, (200..<300).contains(response.status) { return }
        }
        log(.error, "the alarm webhook did not take the alarm", ["app": app.name])
    }
}
