import AppStore
import Refunds
package import Telemetry

/// What a worker counts. The names are in docs/operations.md.
package struct Measures: Sendable {
    let sends: Counter
    let late: Counter
    let adopted: Counter
    let reclaimed: Counter
    let duration: Histogram

    package init(_ metrics: Metrics) {
        sends = metrics.counter("kulanz_sends", "Requests by what they came to.", labels: ["app", "result"])
        late = metrics.counter("kulanz_late_permits", "Permits handed back because they were too old.", labels: ["app"])
        adopted = metrics.counter("kulanz_adopted", "Raw entries that became jobs.", labels: ["app"])
        reclaimed = metrics.counter("kulanz_reclaimed", "Jobs taken over from dead workers.", labels: ["app"])
        duration = metrics.histogram(
            "kulanz_send_seconds", "From permit to answer.", labels: ["app"])
    }

    func answered(_ reply: AppStoreReply, app: String, after time: Duration) {
        guard !reply.wasNotPermitted else { return late.add(1, app) }
        let result =
            switch reply.answer {
            case .unsent: "unsent"
            case .unclear: "unclear"
            case .response(let status, _, _, _, _): String(status)
            }
        sends.add(1, app, result)
        duration.observe(time, app)
    }
}
