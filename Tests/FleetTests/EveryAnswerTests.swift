import AppStoreSimulator
import Foundation
import Queue
import Redis
import Refunds
import TestSupport
import Testing

@testable import Fleet

/// Every code that Apple has published and every answer it hasn't, each on a first send and on the repeat of an id that
/// is open, through the wire: an app of its own for each, since some pause theirs.
@Suite struct `Every answer of Apple's` {
    enum Send: String, CaseIterable { case first, open }

    struct Row {
        /// A word of the simulator's: a code, a status, or a fault.
        let word: String
        let send: Send
        /// Whether the rule gives the word once; otherwise always.
        var isPassing: Bool {
            ["429", "408", "500", "502", "503", "504", "401", "4010000"].contains(word) || word.hasPrefix("5")
                || word.hasPrefix("429") || isRetryable
        }
        /// Apple's own words for “try again” among the 404s.
        var isRetryable: Bool { ["4040002", "4040004", "4040006"].contains(word) && send == .first }
        var app: String { "\(send.rawValue)-\(word)" }
        var bundle: String { "com.example.\(app)" }

        /// By the classes of the fact sheet's section 6, which the open id's rule overrides.
        var states: Set<JobState> {
            switch (send, word) {
            case (_, "200"): [.accepted]
            case (_, "garbage"), (_, "empty"), (_, "202"): [.unclear]
            case (_, "302"): [.unclear, .queued]
            case (_, _) where isPassing: [.accepted]
            case (.open, _): [.unclear]
            case (.first, "4000181"): [.held]
            case (.first, "4030021"): [.unclear]
            // These speak about the app, which pauses.
            case (.first, "403"), (.first, "4039999"), (.first, "4000002"), (.first, "4040003"): [.queued, .unclear]
            default: [.dead]
            }
        }

        /// Whether the job's first id is the only one it may ever have had: a coded refusal of a first send closes it.
        var keepsItsId: Bool { send == .open || !(isRetryable || ["4010000", "4290000", "429"].contains(word)) }
    }

    static var rows: [Row] {
        let codes = AppleError.catalogue.keys.sorted().map(String.init)
        let others = [
            "200", "202", "302", "401", "403", "4039999", "408", "429", "500", "502", "503", "504", "418", "garbage",
            "empty",
        ]
        return (codes + others).flatMap { word in Send.allCases.map { Row(word: word, send: $0) } }
    }

    /// The simulator's rules, as its scenario file has them.
    static func scenario(_ rows: [Row]) throws -> Scenario {
        var rules: [String] = []
        for row in rows {
            let start = row.send == .open ? 2 : 1
            if row.send == .open {
                rules.append(#"{when:{bundleId:"\#(row.bundle)",arrivals:1},then:"cut"}"#)
            }
            guard row.word != "200" else { continue }
            let arrivals = row.isPassing ? "{from:\(start),to:\(start)}" : "{from:\(start)}"
            let then =
                ["429", "4290000"].contains(row.word) ? #"{word:"\#(row.word)",retryAfterMs:300}"# : #""\#(row.word)""#
            rules.append(#"{when:{bundleId:"\#(row.bundle)",arrivals:\#(arrivals)},then:\#(then)}"#)
        }
        var scenario = try Scenario(json5: Array("{rules:[\(rules.joined(separator: ",\n"))]}".utf8))
        scenario.refusesDoubleRefunds = false
        return scenario
    }

    @Test(.timeLimit(.minutes(3)), arguments: Wire.versions)
    func `leads to one move, twice over`(wire: Wire) async throws {
        let rows = Self.rows
        let scenario = try Self.scenario(rows)
        try await withFleet({ $0 = scenario }, over: wire) { world in
            for row in rows {
                try await world.add(
                    FleetWorld.job("case-1", app: row.app), app: row.app)
            }
            // One client, so that over HTTP/2 all share its connections.
            let http = world.client()
            let apps = try rows.map { try world.app($0.app, bundle: $0.bundle, through: http) }
            let worker = world.worker(apps) { $0.concurrency = 256 }
            _ = await worker.run()
            var counted: [Send: Int] = [:]
            for (row, app) in zip(rows, apps) {
                let record = try #require(try await app.app.queue.show("case-1"), "\(row.app)")
                let word = "\(row.app): \(record.attempts.map(\.result)) → \(record.state)"
                #expect(row.states.contains(record.state), "\(word)")
                let ids = Set(record.attempts.map(\.referenceId))
                #expect(row.keepsItsId ? ids.count == 1 : ids.count == 2, "\(word)")
                if row.send == .open { #expect(record.attempts.first?.result == "unclear", "\(word)") }
                if row.send == .open, record.state == .unclear || record.state == .dead {
                    #expect(record.isOpen, "\(word)")
                    #expect(record.openQuestion != nil || row.word == "302", "\(word)")
                }
                counted[row.send, default: 0] += 1
            }
            print("answers through the wire: \(counted.map { "\($0.value) on a \($0.key) send" }.sorted())")
            if let front = world.front { #expect(front.protocols == ["h2"]) }
            // No id was ever processed under two different ones for the same job.
            let taken = await world.simulator.entries.filter(\.isProcessed)
            let ids = Dictionary(grouping: taken, by: { $0.bundleId ?? "" }).mapValues {
                Set($0.compactMap(\.referenceId))
            }
            #expect(ids.values.allSatisfy { $0.count == 1 })
        }
    }
}
