import EventLoop

/// What all parts of one bench share: where they work, whom they start, how much they measure.
struct BenchHouse: Sendable {
    let loop: EventLoop
    let folder: ScratchFolder
    let troupe: Troupe
    let scale: BenchScale

    /// What happens now, for who waits.
    func say(_ text: String) { Output.note(text) }

    /// Measures so many times, each in a world of its own, and puts the figures of all together.
    func repeated(
        _ key: String, _ title: String, _ body: () async throws -> [String: Double]
    ) async throws -> BenchTable.Row {
        var runs: [[String: Double]] = []
        for number in 1...scale.repetitions {
            say("\(title), \(number) of \(scale.repetitions)")
            runs.append(try await body())
        }
        return BenchTable.Row(key: key, title: title, runs: runs)
    }
}

/// How much is measured.
struct BenchScale: Sendable {
    var jobs: Int
    var repetitions: Int
    /// How many jobs one call may lease in a drain; see `GateRate.open`.
    var permitsPerCall = 5
    var isQuick = false

    static let full = BenchScale(jobs: 20_000, repetitions: 3)
    /// To see that everything works; its figures mean little.
    static let quick = BenchScale(jobs: 200, repetitions: 1, isQuick: true)
}

/// Why a part can't go on, in a sentence.
struct BenchFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
