import Foundation
import Queue
import Redis
import TestSupport
import Testing

/// All moves in random order, against a simple model and the invariants.
///
/// One after the other: together they would take both cores of a small machine from every other test.
@Suite(.serialized) struct WalkTests {
    private static let stepsOfAWalk = 300

    /// The scripts under the test clock. Raw entries that nobody adopted are handed out again at each sweep, not only
    /// after fifteen seconds of the server's own time, so that two workers often hold the same one.
    private static func scripts(_ mutant: Mutant? = nil) -> QueueScripts {
        var found: Set<Int> = []
        let scripts = QueueScripts(reusing: mutant == nil ? nil : healthy) { move, source in
            var source = TestClock.edited(source).replacing("ADOPTION_US / 1000", with: "0")
            for (index, edit) in (mutant?.edits ?? []).enumerated() where edit.move == nil || edit.move == move {
                guard source.contains(edit.text) else { continue }
                found.insert(index)
                source = source.replacing(edit.text, with: edit.replacement)
            }
            return Hits.isWanted ? Hits.counting(move, source) : source
        }
        #expect(found.count == mutant?.edits.count ?? 0, "the text to be changed was not found")
        return scripts
    }

    private static let healthy = scripts()

    /// From the environment, to have a walk again; else by chance.
    private static var seed: UInt64 {
        ProcessInfo.processInfo.environment["KULANZ_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...9_999_999)
    }

    /// How long the walks go on: longer for who looks for what is rarely met.
    private static var patience: Duration {
        .seconds(ProcessInfo.processInfo.environment["KULANZ_TEST_WALK_SECONDS"].flatMap { Int($0) } ?? 8)
    }

    /// Walks until `limit` has passed and `isEnough`.
    private static func walk(
        from seed: UInt64, for limit: Duration, until isEnough: (CrashCoverage) -> Bool
    ) async throws -> (coverage: CrashCoverage, steps: Int, walks: Int) {
        try await withRedis { redis in
            let world = QueueWorld(redis, scripts: healthy)
            var (coverage, steps, walks) = (CrashCoverage(), 0, 0)
            let end = ContinuousClock.now + limit
            repeat {
                let walk = try await Walk(world, seed: seed + UInt64(walks))
                try await walk.run(steps: stepsOfAWalk)
                try await walk.finish()
                coverage.add(walk.coverage)
                if Hits.isWanted { try await Hits.gather(redis.client) }
                steps += walk.step
                walks += 1
            } while ContinuousClock.now < end || !isEnough(coverage) && walks < 400
            return (coverage, steps, walks)
        }
    }

    @Test func `any interleaving of moves and deaths keeps the invariants`() async throws {
        let seed = Self.seed
        print("walks from seed \(seed); KULANZ_TEST_SEED=\(seed) repeats them")
        let result = try await Self.walk(from: seed, for: Self.patience) { $0.missing.isEmpty }
        if Hits.isWanted { Hits.report() }
        print("\(result.walks) walks, \(result.steps) steps\n\(result.coverage)")
        #expect(result.coverage.missing.isEmpty)
    }

    @Test func `Redis killed in mid-walk forgets nothing that it acknowledged`() async throws {
        let seed = Self.seed
        print("walks with kills from seed \(seed)")
        try await withRedis(persistence: .always) { redis in
            var (restarts, walks) = (0, UInt64(0))
            repeat {
                let world = QueueWorld(redis, scripts: Self.healthy)
                let walk = try await Walk(world, seed: seed + walks, killing: redis.server)
                try await walk.run(steps: Self.stepsOfAWalk)
                try await walk.finish()
                restarts += walk.restarts
                walks += 1
            } while restarts < 8
            print("\(restarts) restarts in \(walks) walks")
        }
    }

    @Test(arguments: Mutant.all)
    func `a planted fault is caught`(mutant: Mutant) async throws {
        try await withRedis { redis in
            let scripts = Self.scripts(mutant)
            var steps = 0
            for seed in stride(from: mutant.seed, through: mutant.seed + 8 * 60, by: 8) {
                let walk = try await Walk(QueueWorld(redis, scripts: scripts), seed: seed, believing: mutant.belief)
                do {
                    try await walk.run(steps: Self.stepsOfAWalk)
                    try await walk.finish()
                    steps += walk.step
                } catch let contradiction as Contradiction {
                    print("\(mutant): walk \(seed), after \(steps + walk.step) steps, \(contradiction.what)")
                    return
                } catch let error as QueueError {
                    print("\(mutant): walk \(seed), after \(steps + walk.step) steps, \(error)")
                    return
                }
            }
            Issue.record("\(mutant) was not caught in \(steps) steps")
        }
    }
}
