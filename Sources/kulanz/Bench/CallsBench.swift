import Measurement
import Queue
import Redis

/// Which scripts a job takes on its way, and what each costs Redis.
struct CallsBench {
    let house: BenchHouse

    private static let columns = [
        BenchTable.Column(key: "callsPerJob", title: "calls/job", digits: 3),
        BenchTable.Column(key: "microsecondsPerCall", title: "µs/call", digits: 1),
        BenchTable.Column(key: "microsecondsPerJob", title: "µs/job", digits: 1),
        BenchTable.Column(key: "commandsPerJob", title: "commands/job", digits: 1),
    ]

    func run() async throws -> BenchTable {
        let method = """
            The drain over the null transport, with every command in Redis' own SLOWLOG: how often a script was called, \
            and how long the server ran it. Commands a job are all that Redis executed from the producer on, those within \
            scripts included. The gate is open, as in the drain.
            """
        var table = BenchTable(part: .calls, method: method, columns: Self.columns)
        for way in BenchRig.Way.allCases {
            var runs: [String: [[String: Double]]] = [:]
            for number in 1...house.scale.repetitions {
                house.say("script calls, jobs \(way.words), \(number) of \(house.scale.repetitions)")
                let counts = try await BenchRig.use(in: house) { try await count($0, way) }
                for (script, figures) in counts { runs[script, default: []].append(figures) }
            }
            let order = runs.sorted {
                ($1.value[0]["microsecondsPerJob"] ?? 0) < ($0.value[0]["microsecondsPerJob"] ?? 0)
            }
            for (script, runs) in order {
                table.rows.append(.init(key: "\(way.rawValue)-\(script)", title: "\(script), \(way.words)", runs: runs))
            }
        }
        return table
    }

    private func count(_ rig: BenchRig, _ way: BenchRig.Way) async throws -> [String: [String: Double]] {
        let jobs = house.scale.jobs
        try rig.configure()
        try await rig.pause()
        _ = try await rig.client.send(["CONFIG", "SET", "slowlog-max-len", "10000000"])
        _ = try await rig.client.send(["CONFIG", "SET", "slowlog-log-slower-than", "0"])
        let atStart = try await rig.info("commandstats").calls
        try await rig.fill(0..<jobs, way)
        _ = try await rig.startOpenWorkers(.null, permitsPerCall: house.scale.permitsPerCall)
        try await rig.resume()
        try await rig.wait(for: "the drain") { try await rig.accepted() >= jobs }
        let atEnd = try await rig.info("commandstats").calls
        let log = try await rig.client.send(["SLOWLOG", "GET", "-1"]).array ?? []
        return figures(of: log, jobs: Double(jobs), commands: atEnd.values.reduce(0, +) - atStart.values.reduce(0, +))
    }

    /// An entry of the log is id, time, microseconds, words and more (https://redis.io/commands/slowlog-get).
    private func figures(of log: [RedisValue], jobs: Double, commands: Int) -> [String: [String: Double]] {
        var names: [String: String] = [:]
        for script in ScriptName.allCases { names[QueueScripts.standard[script].sha1] = script.rawValue }
        var calls: [String: (count: Double, microseconds: Double)] = [:]
        for entry in log {
            guard let parts = entry.array, parts.count > 3, let microseconds = parts[2].integer,
                let words = parts[3].array, words.count > 1, words[0].string == "EVALSHA",
                let name = words[1].string.flatMap({ names[$0] })
            else { continue }
            calls[name, default: (0, 0)].count += 1
            calls[name, default: (0, 0)].microseconds += Double(microseconds)
        }
        var figures = calls.mapValues { call in
            [
                "callsPerJob": call.count / jobs, "microsecondsPerCall": call.microseconds / call.count,
                "microsecondsPerJob": call.microseconds / jobs,
            ]
        }
        figures["all"] = [
            "callsPerJob": calls.values.reduce(0) { $0 + $1.count } / jobs,
            "microsecondsPerJob": calls.values.reduce(0) { $0 + $1.microseconds } / jobs,
            "commandsPerJob": Double(commands) / jobs,
        ]
        return figures
    }
}
