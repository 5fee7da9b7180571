import EventLoop

/// What all parts of one bench share: where they work, whom they start, how much they measure.
struct BenchHouse: Sendable {
    let loop: EventLoop
    let folder: ScratchFolder
    let troupe: Troupe
    let scale: BenchScale
    /// Sidekiq, where it is installed.
    let sidekiq: Sidekiq?
    /// Of all that is measured.
    let versions: [String: String]

    init(folder: ScratchFolder, troupe: Troupe, scale: BenchScale) async throws {
        (self.folder, self.troupe, self.scale, loop) = (folder, troupe, scale, troupe.loop)
        sidekiq = await Sidekiq.find(troupe)
        var versions = ["kulanz": Kulanz.version]
        versions["redis"] = await troupe.firstLine(of: "redis-server", ["--version"])?
            .firstMatch(of: /v=([0-9.]+)/).map { String($0.1) }
        versions["sidekiq"] = sidekiq?.version
        self.versions = versions
    }

    /// What happens now, for who waits.
    func say(_ text: String) { Output.note(text) }

    /// Measures so many times, each on a rig of its own, and puts the figures of all together.
    func repeated(
        _ key: String, _ title: String, against peer: String? = nil, times: Int? = nil,
        _ body: (BenchRig) async throws -> [String: Double]
    ) async throws -> BenchTable.Row {
        var runs: [[String: Double]] = []
        let times = times ?? scale.repetitions
        for number in 1...times {
            say(times == 1 ? title : "\(title), \(number) of \(times)")
            runs.append(try await BenchRig.use(in: self, body))
        }
        return BenchTable.Row(key: key, title: title, runs: runs, peer: peer)
    }
}

/// Why a part can't go on, in a sentence.
struct BenchFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
