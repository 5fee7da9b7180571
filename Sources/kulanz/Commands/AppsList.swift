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
            var strays = Table([.text("STREAM THAT NOBODY READS"), .number("ENTRIES"), .text("OLDEST")])
            var losses: [String] = []
            for app in try assembly.apps(apps) {
                let queue = assembly.queue(of: app)
                let view = try await queue.overview()
                let deleted = try await queue.deletedEntries()
                let unread = try await queue.strays()
                guard !configuration.isJSON else {
                    Output.line(view.json(limit: app.rate.requestsPerSecond, deleted: deleted))
                    for stray in unread { Output.line(stray.json(meantFor: app.name)) }
                    continue
                }
                for stray in unread {
                    strays.add(
                        stray.name, String(stray.entries), stray.oldest.map { Moment(milliseconds: $0).text } ?? "")
                }
                for lane in Priority.allCases {
                    guard let count = deleted[lane] else { continue }
                    losses.append(
                        "deleted by others before a worker read it: \(count) of \(queue.keys.lane(lane))")
                }
                table.add(
                    app.name, app.environment.rawValue, view.count(.urgent), view.count(.normal), view.count(.bulk),
                    String(view.inFlight), String(view.later), String(view.held), String(view.dead),
                    view.oldestAgeMilliseconds.map(Duration.spoken) ?? "",
                    "\(view.departuresInLastSecond)/\(app.rate.requestsPerSecond.argument)", view.condition)
            }
            guard !configuration.isJSON else { return }
            table.print()
            if !strays.isEmpty {
                Output.line("")
                strays.print()
            }
            for loss in losses { Output.line(loss) }
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

    /// - Parameter deleted: entries that others deleted from each lane; left out where nobody did.
    func json(limit: Double, deleted: [Priority: Int] = [:]) -> JSON {
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
        if !deleted.isEmpty {
            var counts = JSONObject()
            for lane in Priority.allCases { counts[lane.rawValue] = deleted[lane].map { .integer(Int64($0)) } }
            object["deletedEntries"] = .object(counts)
        }
        // Only while Apple is down.
        object["nextProbe"] = nextProbe.map(JSON.integer)
        return .object(object)
    }
}

extension StrayStream {
    /// A line of its own beside the apps': `unknown` tells them apart.
    fileprivate func json(meantFor app: String) -> JSON {
        .object(
            JSONObject([
                "unknown": .bool(true), "stream": .string(name), "entries": .integer(Int64(entries)),
                "oldest": oldest.orNull, "meantFor": .string(app),
            ]))
    }
}
