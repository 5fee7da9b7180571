import Arguments
import Configuration
import EventLoop
import Fleet
import Foundation
import Queue
import Redis
import Refunds

struct StatusCommand: Command {
    static let name = "status"
    static let summary = "The whole fleet at a glance: apps, lanes, rate, what is paused, workers and what each holds."
    static let arguments: [Argument<Self>] =
        [
            .flag("--watch", \.isWatching, "Look again every second until Ctrl-C."),
            .option("--app", "APP", \.apps, "Only this app; all apps otherwise."),
        ] + ConfigurationOption.arguments.within(\.configuration)
    static let examples = [
        Example("status --watch", "Keep an eye on it, over SSH too."),
        Example("status --json", "One object, for a program."),
    ]

    var isWatching = false
    var apps: [String] = []
    var configuration = ConfigurationOption()

    func run() async throws {
        try await Assembly.use(configuration) { assembly in
            let apps = try assembly.apps(apps)
            let domain = LoopDomain(assembly.loop)
            var screen = StatusScreen(isLive: isWatching && Terminal.canRedraw)
            repeat {
                let status = try await FleetStatus.read(assembly, apps)
                if configuration.isJSON {
                    Output.line(status.json)
                } else {
                    screen.show(status.lines(width: Terminal.width))
                }
                if isWatching { try await domain.sleep(for: .seconds(1)) }
            } while isWatching
        }
    }
}

/// The fleet at one moment.
struct FleetStatus {
    struct Worker {
        let name: String
        let beat: Beat
        var held: [(app: String, job: HeldJob)] = []
    }

    let at: Int64
    let apps: [(settings: AppSettings, view: AppOverview)]
    let workers: [Worker]

    static func read(_ assembly: Assembly, _ apps: [AppSettings]) async throws -> FleetStatus {
        let beats = try await assembly.redis.send([
            "HGETALL", RedisWord(Beat.key(prefix: assembly.settings.redis.prefix)),
        ])
        var workers = (beats.fields ?? [:]).mapValues { Beat($0.string ?? "") }
            .map { Worker(name: $0.key, beat: $0.value) }
            .sorted { $0.name < $1.name }
        var views: [(settings: AppSettings, view: AppOverview)] = []
        var now: Int64 = 0
        for app in apps {
            let queue = assembly.queue(of: app)
            views.append((app, try await queue.overview()))
            now = try await queue.now() / 1000
            for job in try await queue.heldJobs() {
                let index = workers.firstIndex { $0.name == job.worker }
                // A worker that holds jobs and beats no more is still worth a line: it is being taken over.
                guard let index else {
                    workers.append(
                        Worker(name: job.worker, beat: Beat(count: 0, apps: [app.name]), held: [(app.name, job)]))
                    continue
                }
                workers[index].held.append((app.name, job))
            }
        }
        return FleetStatus(at: now, apps: views, workers: workers)
    }

    // MARK: For people

    /// Fits 80 columns and, with a handful of apps and workers, 24 lines.
    func lines(width: Int?) -> [String] {
        var table = Table([
            .long("APP"), .number("URGENT"), .number("NORMAL"), .number("BULK"), .number("FLYING"), .number("LATER"),
            .number("HELD"), .number("DEAD"), .number("OLDEST"), .number("RATE"),
        ])
        var remarks: [String] = []
        for (settings, view) in apps {
            table.add(
                view.app, number(view.lanes[.urgent]), number(view.lanes[.normal]), number(view.lanes[.bulk]),
                String(view.inFlight), String(view.later), String(view.held), String(view.dead),
                view.oldestAgeMilliseconds.map(Duration.spoken) ?? "",
                "\(view.departuresInLastSecond)/\(settings.rate.requestsPerSecond.argument)")
            if let remark = remark(view) { remarks.append(Self.cut("\(view.app): \(remark)", to: width)) }
        }
        var crew = Table([.long("WORKER"), .number("HOLDS"), .text("SINCE"), .long("WHAT")])
        for worker in workers {
            let oldest = worker.held.min { $0.job.since < $1.job.since }
            crew.add(
                worker.name, String(worker.held.count),
                oldest.map { Duration.spoken(milliseconds: at - $0.job.since) } ?? "",
                worker.held.prefix(3).map { "\($0.app)/\($0.job.id)" }.joined(separator: " "))
        }
        let people = workers.isEmpty ? ["no worker is alive"] : crew.lines(width: width)
        let crewSize = workers.count == 1 ? "1 worker" : "\(workers.count) workers"
        return ["\(Moment(milliseconds: at).text)  \(crewSize)"] + table.lines(width: width) + remarks + [""] + people
    }

    private func number(_ value: Int?) -> String { String(value ?? 0) }

    private func remark(_ view: AppOverview) -> String? {
        if let paused = view.paused {
            return "paused for \(Duration.spoken(milliseconds: at - paused.since)) by \(paused.by), \(paused.reason)"
                + (paused.why.isEmpty ? "" : ": \(paused.why)")
        }
        if let probe = view.nextProbe {
            return "Apple is down; next probe in \(Duration.spoken(milliseconds: probe - at))"
        }
        return view.blockedUntil.map { "blocked by Apple for \(Duration.spoken(milliseconds: $0 - at))" }
    }

    private static func cut(_ text: String, to width: Int?) -> String {
        guard let width, text.count > width else { return text.printable }
        return (text.prefix(max(1, width - 1)) + "…").description.printable
    }

    // MARK: For programs

    var json: JSON {
        .object(
            JSONObject([
                "at": .integer(at),
                "apps": .array(apps.map { $0.view.json(limit: $0.settings.rate.requestsPerSecond) }),
                "workers": .array(workers.map(json(of:))),
            ]))
    }

    private func json(of worker: Worker) -> JSON {
        .object(
            JSONObject([
                "worker": .string(worker.name), "apps": .array(worker.beat.apps.sorted().map(JSON.string)),
                "holds": .array(
                    worker.held.map { app, job in
                        .object(
                            JSONObject([
                                "app": .string(app), "id": .string(job.id), "transactionId": .string(job.transactionId),
                                "since": .integer(job.since),
                            ]))
                    }),
            ]))
    }
}

/// Draws the same screen again on a terminal; prints one after the other elsewhere.
struct StatusScreen {
    let isLive: Bool

    mutating func show(_ lines: [String]) {
        guard isLive else {
            for line in lines { Output.line(line) }
            return
        }
        // The last row stays empty: a line feed there would scroll the first one away.
        let lines = Self.cut(lines, to: Terminal.height - 1)
        // Home, each line cleared to its end, then what is below: nothing flickers, and no colour is needed.
        let body = lines.map { $0 + "\u{1B}[K\n" }.joined()
        Output.write("\u{1B}[H" + body + "\u{1B}[J")
    }

    private static func cut(_ lines: [String], to height: Int) -> [String] {
        guard lines.count > height, height > 1 else { return lines }
        return lines.prefix(height - 1) + ["… and \(lines.count - height + 1) lines more"]
    }
}
