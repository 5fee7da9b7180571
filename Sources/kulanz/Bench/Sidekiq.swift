import Foundation
import Lifecycle
import Measurement
import Redis

/// Sidekiq, which users would pick instead, measured in the same run. Where it isn't installed (Debian's package is
/// ruby-sidekiq), only our own figures are told.
struct Sidekiq: Sendable {
    /// As `sidekiq --version` tells it.
    let version: String

    /// The key of its rows.
    static let key = "sidekiq"
    var title: String { "Sidekiq \(version)" }

    static func find(_ troupe: Troupe) async -> Sidekiq? {
        let words = await troupe.firstLine(of: "sidekiq", ["--version"])?.split(separator: " ") ?? []
        guard words.first == "Sidekiq", let version = words.last else { return nil }
        return Sidekiq(version: String(version))
    }

    /// A producer's time for its jobs, and the processor's.
    func enqueue(_ count: Int, inBulk: Bool, on rig: BenchRig) async throws -> (seconds: Double, cpuSeconds: Double) {
        let numbers = try await produce(["done", "\(count)", inBulk ? "bulk" : "single"], on: rig)
        guard numbers.count == 2 else { throw failure(on: rig) }
        return (numbers[0], numbers[1])
    }

    /// Two processes of ten threads each, as it is recommended.
    func startWorkers(on rig: BenchRig) async throws -> [ChildProcess] {
        let script = try script(on: rig)
        var workers: [ChildProcess] = []
        for _ in 1...2 {
            workers.append(
                try await rig.troupe.start(
                    ["-q", "default", "-r", script, "-c", "10"], program: "sidekiq", log: log(of: rig),
                    environment: environment(of: rig)))
        }
        return workers
    }

    /// How many jobs have been done.
    func done(on rig: BenchRig) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: "\(rig.folder)/done")
        return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }

    /// Adds jobs to the idle workers, one every 50 ms; returns each one's milliseconds until it began.
    func delays(_ count: Int, on rig: BenchRig) async throws -> [Double] {
        _ = try await produce(["delay", "\(count)", "single"], on: rig)
        var delays: [Double] = []
        try await rig.wait(for: title, within: .seconds(30)) {
            let text = try String(contentsOfFile: "\(rig.folder)/delays", encoding: .utf8)
            delays = text.split(whereSeparator: \.isNewline).compactMap { Double($0) }
            return delays.count >= count
        }
        return delays
    }

    private func produce(_ words: [String], on rig: BenchRig) async throws -> [Double] {
        let child = try await rig.troupe.start(
            [try script(on: rig)] + words, program: "ruby", log: log(of: rig), output: .lines,
            environment: environment(of: rig))
        var numbers: [Double] = []
        for await line in child.output { if let number = Double(line) { numbers.append(number) } }
        guard await child.exit == .code(0) else { throw failure(on: rig) }
        return numbers
    }

    private func script(on rig: BenchRig) throws -> String {
        let path = "\(rig.folder)/sidekiq.rb"
        if !FileManager.default.fileExists(atPath: path) {
            try Data(PackageResources.sidekiq_rb).write(to: URL(filePath: path))
        }
        return path
    }

    private func log(of rig: BenchRig) -> String { "\(rig.folder)/sidekiq.log" }

    private func environment(of rig: BenchRig) -> [String: String] {
        ProcessInfo.processInfo.environment.merging(
            ["BENCH_PORT": "\(rig.port)", "BENCH_FOLDER": rig.folder]
        ) { $1 }
    }

    private func failure(on rig: BenchRig) -> BenchFailure {
        BenchFailure("\(title) failed. \(Troupe.lastWords(in: log(of: rig)))")
    }
}
