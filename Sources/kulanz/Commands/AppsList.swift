import Arguments
import Configuration
import Queue
import Refunds

struct AppsList: Command {
    static let name = "apps list"
    static let summary = "Each app: what waits, how old, the rate in use, paused since when and why."
    static let arguments: [Argument<Self>] =
        [.option("--app", "APP", \.apps, "Only this app; all apps otherwise.")]
        + ConfigurationOption.arguments.within(\.configuration)
    static let examples = [Example("apps list --json | jq 'select(.paused)'", "Only the paused ones.")]

    var apps: [String] = []
    var configuration = ConfigurationOption()

    func run() async throws {
        try await Assembly.use(configuration) { assembly in
            var table = Table([
                .text("APP"), .text("WHERE"), .number("URGENT"), .number("NORMAL"), .number("BULK"),
                .number("FLYING"), .number("LATER"), .number("HELD"), .number("DEAD"), .number("OLDEST"),
                .number("RATE"), .long("STATE"),
            ])
            for app in try assembly.apps(apps) {
                let view = try await assembly.queue(of: app).overview()
                guard !configuration.isJSON else {
                    Output.line(view.json(limit: app.rate.requestsPerSecond))
                    continue
                }
                table.add(
                    app.name, app.environment.rawValue, view.count(.urgent), view.count(.normal), view.count(.bulk),
                    String(view.inFlight), String(view.later), String(view.held), String(view.dead),
                    view.oldestAgeMilliseconds.map(Duration.spoken) ?? "",
                    "\(view.departuresInLastSecond)/\(app.rate.requestsPerSecond.argument)", view.condition)
            }
            if !configuration.isJSON { table.print() }
        }
    }
}

extension AppOverview {
    fileprivate func count(_ lane: Priority) -> String { String(lanes[lane] ?? 0) }

    fileprivate var condition: String {
        if let paused {
            let why = paused.why.isEmpty ? "" : " (\(paused.why))"
            return "paused since \(Moment(milliseconds: paused.since).text) by \(paused.by): \(paused.reason)\(why)"
        }
        if let nextProbe { return "Apple is down; next probe \(Moment(milliseconds: nextProbe).text)" }
        return blockedUntil.map { "blocked by Apple until \(Moment(milliseconds: $0).text)" } ?? "sending"
    }

    func json(limit: Double) -> JSON {
        var lanes = JSONObject()
        for lane in Priority.allCases { lanes[lane.rawValue] = .integer(Int64(self.lanes[lane] ?? 0)) }
        let paused = paused.map { pause in
            JSON.object(
                JSONObject([
                    "reason": .string(pause.reason), "since": .integer(pause.since), "by": .string(pause.by),
                    "why": .string(pause.why),
                ]))
        }
        var object =
            JSONObject([
                "app": .string(app), "environment": .string(environment.rawValue), "lanes": .object(lanes),
                "inFlight": .integer(Int64(inFlight)), "later": .integer(Int64(later)), "held": .integer(Int64(held)),
                "dead": .integer(Int64(dead)), "oldestAgeMs": oldestAgeMilliseconds.orNull,
                "rate": .object(
                    JSONObject([
                        "limit": (try? JSON(reading: limit.argument)) ?? .null,
                        "used": .integer(Int64(departuresInLastSecond)),
                    ])), "blockedUntil": blockedUntil.orNull, "paused": paused ?? .null,
            ])
        // Only while Apple is down.
        object["nextProbe"] = nextProbe.map(JSON.integer)
        return .object(object)
    }
}
