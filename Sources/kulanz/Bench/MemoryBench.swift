import Measurement
import Redis

/// How much of Redis' memory a waiting job takes.
struct MemoryBench {
    let house: BenchHouse
    private var jobs: Int { house.scale.jobs }

    private var method: String {
        """
        The growth of Redis' used_memory over \(jobs) waiting jobs of \(BenchJob.bytes) bytes, divided by their number. \
        “XADD” is the producer's entry as it stands in the stream; “enqueue” is a job with its record, its claim on the \
        item and its reference in the stream, which is what an entry becomes shortly before it is sent. “accepted” is \
        what stays of a job once Apple has taken it: its record with Apple's signed answer, its claim, its reference id, \
        and its lines in the books.
        """
    }

    func run() async throws -> BenchTable {
        var table = BenchTable(
            part: .memory, method: method, columns: [.init(key: "bytesPerJob", title: "bytes/job")])
        for way in BenchRig.Way.allCases {
            table.rows.append(
                try await house.repeated(way.rawValue, "waiting, \(way.words)", against: Sidekiq.key) { rig in
                    try await grow(on: rig) { try await rig.fill(0..<jobs, way) }
                })
        }
        table.rows.append(try await house.repeated("accepted", "accepted by Apple") { try await accepted(on: $0) })
        if let sidekiq = house.sidekiq {
            table.rows.append(
                try await house.repeated(Sidekiq.key, "\(sidekiq.title), waiting") { rig in
                    try await grow(on: rig) { _ = try await sidekiq.enqueue(jobs, inBulk: true, on: rig) }
                })
        }
        return table
    }

    private func accepted(on rig: BenchRig) async throws -> [String: Double] {
        _ = try await rig.startSimulator(isWrittenDown: false)
        try await rig.pause()
        _ = try await rig.startOpenWorkers(.http, permitsPerCall: house.scale.permitsPerCall)
        return try await grow(on: rig) {
            try await rig.fill(0..<jobs, .enqueue)
            try await rig.resume()
            try await rig.wait(for: "the drain") { try await rig.accepted() >= jobs }
        }
    }

    private func grow(on rig: BenchRig, _ fill: () async throws -> Void) async throws -> [String: Double] {
        let before = try await rig.info("memory").number("used_memory") ?? 0
        try await fill()
        let after = try await rig.info("memory").number("used_memory") ?? 0
        return ["bytesPerJob": (after - before) / Double(jobs)]
    }
}
