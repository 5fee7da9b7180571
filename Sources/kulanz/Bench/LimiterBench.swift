import AppStoreSimulator
import EventLoop
import Foundation
import Lifecycle
import Measurement

/// Whether four workers together keep to five a second, and use them.
struct LimiterBench {
    let house: BenchHouse
    private var jobs: Int { house.scale.limitedJobs }

    private static let columns = [
        BenchTable.Column(key: "seconds", title: "seconds", digits: 1),
        BenchTable.Column(key: "utilisation", title: "utilisation", digits: 3),
        BenchTable.Column(key: "mostInASecond", title: "most in 1 s"),
        BenchTable.Column(key: "breaches", title: "breaches"),
        BenchTable.Column(key: "inconclusive", title: "unsure"),
        BenchTable.Column(key: "worstStallMs", title: "stall ms", digits: 1),
    ]

    private var method: String {
        """
        Four workers with production's settings, \(jobs) jobs, arrivals stamped by the simulator and counted in every \
        sliding second, to the nanosecond. Utilisation is the least time in which the limit lets so many leave (five at \
        once, five more each second), divided by the time from the first arrival to the last. Trickle, then burst: a \
        fifth of the jobs one by one, 400 ms apart, then the others at once; time and utilisation are the burst's. A \
        second of six is a breach; where the stamps may be later than the arrivals, because the simulator itself got no \
        processor, it is unsure. Stall: the longest such time.
        """
    }

    private enum Shape: String, CaseIterable {
        case backlog, burst, latency

        var title: String {
            switch self {
            case .backlog: "standing backlog"
            case .burst: "trickle, then burst"
            case .latency: "backlog, Apple takes 800 ms"
            }
        }
    }

    func run() async throws -> BenchTable {
        var table = BenchTable(part: .limiter, method: method, columns: Self.columns)
        for shape in Shape.allCases {
            table.rows.append(
                try await house.repeated(shape.rawValue, shape.title, times: house.scale.longRepetitions) {
                    try await measure($0, shape)
                })
        }
        return table
    }

    private func measure(_ rig: BenchRig, _ shape: Shape) async throws -> [String: Double] {
        let apple = try await rig.startSimulator(latencyMs: shape == .latency ? 800 : 0)
        let trickle = shape == .burst ? jobs / 5 : 0
        if shape != .burst { try await rig.fill(0..<jobs, .xadd) }
        _ = try await rig.startWorkers(4)
        for number in 0..<trickle {
            try await rig.fill(number..<number + 1, .xadd)
            try await rig.domain.sleep(for: .milliseconds(400))
        }
        if shape == .burst { try await rig.fill(trickle..<jobs, .xadd) }
        try await rig.wait(for: "the limited drain") { try await rig.accepted() >= jobs }
        await apple.stop()
        return try figures(of: try Data(contentsOf: URL(filePath: rig.journal)), after: trickle)
    }

    /// - Parameter trickle: how many arrivals came before what is timed.
    private func figures(of journal: Data, after trickle: Int) throws -> [String: Double] {
        let audit = JournalAudit(reading: Array(journal))
        let all = journal.split(separator: UInt8(ascii: "\n")).compactMap { line -> Double? in
            guard case .arrival(let entry) = JournalLine(reading: Array(line)) else { return nil }
            return Double(entry.nanoseconds) / 1e9
        }.sorted()
        let (before, stamps) = (all.prefix(trickle), all.dropFirst(trickle))
        guard let rate = audit.rates.first, let first = stamps.first, let last = stamps.last, last > first else {
            throw BenchFailure("too few requests arrived to tell a rate")
        }
        let least = LeastTime.ofDepartures(
            stamps.count, limit: rate.allowed, window: 1, after: before.map { $0 - first })
        let seconds = last - first
        return [
            "seconds": seconds, "utilisation": least / seconds,
            "mostInASecond": Double(rate.mostInASecond), "breaches": Double(rate.judgement.breaches),
            "inconclusive": Double(rate.judgement.inconclusive),
            "worstStallMs": Double(audit.worstStallNs) / 1e6,
        ]
    }
}
