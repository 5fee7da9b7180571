import AppStore
import AppStoreSimulator
import Foundation
import Queue
import Redis
import Refunds
import TestSupport
import Testing

@testable import Fleet

/// What HTTP/2 alone can do to requests: several share a connection, and what becomes of it is each one's own.
@Suite(.enabled(if: FaultyFront.isAvailable, "python3 is not installed; scripts/setup installs it"))
struct `Requests on one connection` {
    struct Case: Sendable, CustomTestStringConvertible {
        let ending: FaultyFront.Ending
        /// How many of five come out how, the first time that they are sent.
        var unclear = 0
        var unsent = 0
        var accepted = 0
        /// How many of five Apple sees twice; the repeat always under the same id.
        var seenTwice = 0
        /// If it matters: libcurl makes a new one for each request that was refused, which it then may not repeat.
        var connections: Int?
        /// How long a request may take, in seconds.
        var patience = 8
        var testDescription: String { ending.rawValue }
    }

    static let cases = [
        Case(ending: .reset, unclear: 5, seenTwice: 3),
        Case(ending: .close, unclear: 5, seenTwice: 3),
        Case(ending: .half, unclear: 5, seenTwice: 3),
        Case(ending: .goAway, unclear: 3, unsent: 2, seenTwice: 3),
        Case(ending: .goAwayInError, unclear: 3, unsent: 2, seenTwice: 3),
        Case(ending: .leave, unsent: 2, accepted: 3),
        Case(ending: .refuse, unsent: 2, accepted: 3),
        Case(ending: .abort, unclear: 5, seenTwice: 3, connections: 1),
        // A connection that has nothing to say while an answer is due is asked no more.
        Case(ending: .stall, unclear: 1, accepted: 4, seenTwice: 1, connections: 2, patience: 3),
        Case(ending: .window, unclear: 2, accepted: 3, connections: 2, patience: 3),
        Case(ending: .silence, unclear: 5, seenTwice: 3, connections: 2, patience: 3),
    ]

    @Test(arguments: cases)
    func `are judged each for itself when it ends or their streams do`(_ expected: Case) async throws {
        try await withFront(expected.ending) { world, front in
            for number in 1...5 { try await world.add(FleetWorld.job("case-\(number)")) }
            // So wide a guard that a permit outlives a busy machine: all five leave together.
            let app = try world.app(rate: GateRate(guardMilliseconds: 400))
            await app.app.store.warm()
            let worker = world.worker([app]) {
                $0.requestTimeout = .seconds(expected.patience)
                $0.lease = .seconds(2 * expected.patience)
                $0.untilIdle = false
            }
            try await world.working([worker]) {
                try await eventually("all are accepted", within: .seconds(30)) {
                    for number in 1...5 where try await world.queue.show("case-\(number)")?.state != .accepted {
                        return false
                    }
                    return true
                }
            }
            #expect(front.faults == [expected.ending.rawValue: 1])
            if let connections = expected.connections { #expect(front.connections == connections) }
            var first: [String: Int] = [:]
            for number in 1...5 {
                let record = try #require(try await world.queue.show("case-\(number)"))
                let results = record.attempts.map(\.result)
                #expect(record.state == .accepted && results.last == "accepted", "\(results)")
                #expect(Set(record.attempts.map(\.referenceId)).count == 1)
                first[results[0], default: 0] += 1
                #expect(results.count == (results[0] == "accepted" ? 1 : 2), "\(results)")
                // What was surely not seen costs no attempt.
                let sent = results.count { $0 != "unsent" }
                #expect(try await world.attempts("case-\(number)") == Int64(sent))
            }
            let all = ["unclear": expected.unclear, "unsent": expected.unsent, "accepted": expected.accepted]
            #expect(first == all.filter { $0.value > 0 })
            let calls = await world.calls()
            #expect(calls.count == 5 + expected.seenTwice)
            #expect(calls.filter(\.isProcessed).count == 5)
            #expect(Set(calls.map(\.bodyHash)).count == 5)
        }
    }

    @Test func `are no sign of a host that can't reach Apple when Apple refuses them`() async throws {
        try await withFront(.refuseTen) { world, front in
            let other = try await world.pretending(toBe: "other")
            defer { other.cancel() }
            let worker = world.worker([try world.app(rate: GateRate(guardMilliseconds: 400))]) { $0.untilIdle = false }
            try await world.working([worker]) {
                try await world.beat(2, by: 2)
                for number in 1...5 { try await world.add(FleetWorld.job("case-\(number)")) }
                try await eventually("all are accepted") {
                    for number in 1...5 where try await world.queue.show("case-\(number)")?.state != .accepted {
                        return false
                    }
                    return true
                }
            }
            #expect(world.logged("standing down") == 0)
            var unsent = 0
            for number in 1...5 {
                let record = try #require(try await world.queue.show("case-\(number)"))
                unsent += record.attempts.count { $0.result == "unsent" }
                #expect(Set(record.attempts.map(\.referenceId)).count == 1)
                #expect(try await world.attempts("case-\(number)") == 1)
            }
            #expect(unsent == 10)
            #expect(await world.calls().count == 5)
        }
    }

    /// Whatever Apple makes of a repeat, and whatever happens to connections on the way: two workers.
    @Test(arguments: ["replay-200", "reject-4000097", "process-twice"])
    func `go wrong in any way and order, and none is lost or paid under two ids`(_ repeats: String) async throws {
        let seed = UInt64.random(in: 1...1_000_000)
        try await withFront(.chaos, seed: seed, repeats: repeats) { world, front in
            let ids = (1...40).map { "case-\($0)" }
            for id in ids { try await world.add(FleetWorld.job(id)) }
            let rate = GateRate(requestsPerSecond: 25, guardMilliseconds: 100)
            let workers = try (1...2).map { _ in
                world.worker([try world.app(rate: rate)]) { $0.requestTimeout = .seconds(1) }
            }
            await withTaskGroup(of: Void.self) { group in
                for worker in workers { group.addTask { _ = await worker.run() } }
            }
            let calls = Dictionary(grouping: await world.calls()) { $0.transactionId ?? "" }
            var results: [String: Int] = [:]
            for id in ids {
                let record = try #require(try await world.queue.show(id))
                let calls = calls["2000\(id)"] ?? []
                let word =
                    "seed \(seed), \(id): \(record.attempts.map(\.result)), \(calls.count) calls, \(record.state)"
                for result in record.attempts.map(\.result) { results[result, default: 0] += 1 }
                // A refused repeat waits for a person; nothing else may stay behind.
                let isRefusedRepeat = repeats == "reject-4000097" && record.attempts.last?.errorCode == 4_000_097
                #expect(record.state == (isRefusedRepeat ? .unclear : .accepted), "\(word)")
                #expect(Set(record.attempts.map(\.referenceId)).count == 1, "\(word)")
                #expect(Set(calls.map(\.bodyHash)).count == 1, "\(word)")
                #expect(!calls.filter(\.isProcessed).isEmpty, "\(word)")
                // Apple saw no more than we count, and what we call unsent it never saw.
                let sent = record.attempts.count { $0.result != "unsent" }
                #expect(calls.count <= sent, "\(word)")
                // While Apple counts as down, what a probe costs isn't the job's.
                #expect(try #require(try await world.attempts(id)) <= Int64(sent), "\(word)")
            }
            print(
                "chaos, seed \(seed), repeats \(repeats): \(results), \(front.faults), \(front.connections) connections"
            )
            #expect(front.faults.values.reduce(0, +) > 4, "seed \(seed)")
        }
    }

    private func withFront(
        _ ending: FaultyFront.Ending, seed: UInt64 = 0, repeats: String = "replay-200",
        _ body: (FleetWorld, FaultyFront) async throws -> Void
    ) async throws {
        let apple = try Scenario(
            json5: Array(
                "{ acceptAnyApp: true, doubleRefunds: 'accept', pending: 'never', repeats: '\(repeats)' }".utf8))
        try await withFleet({ $0 = apple }, over: .tls) { world in
            let front = try await FaultyFront(
                ending, to: world.port, certificates: world.redis.folder["tls"], seed: seed, on: world.loop)
            var world = world
            world.baseURL = front.baseURL
            do { try await body(world, front) } catch {
                await front.stop()
                throw error
            }
            await front.stop()
        }
    }
}
