import EventLoop
import Foundation
import Lifecycle
import TestSupport
import Testing

/// `kulanz demo` as a newcomer starts it: real processes, and nothing of them left when it has ended.
@Suite struct DemoTests {
    @Test func `the demo shows what it promises and leaves no process and no folder behind`() async throws {
        let run = try await DemoRun.start()
        let output = await Array(run.child.output)
        let told = await run.errors()
        let exit = await run.child.exit
        let line = try #require(output.last, "\(told.joined(separator: "\n"))")
        let report = try JSONDecoder().decode(Report.self, from: Data(line.utf8))

        #expect(output.count == 1)
        #expect(report.verdict != "broken", "\(report.reasons)")
        #expect(exit == .code(report.verdict == "asPromised" ? 0 : 75))

        // What holds on any machine, however busy.
        #expect(report.requests.refundedTwice == 0)
        #expect(report.requests.repeatsWithOtherBytes == 0)
        #expect(report.jobs.lost == [])
        #expect(report.jobs.neverTaken == [])
        #expect(report.jobs.takenUnknown == [])
        #expect(report.jobs.states.values.reduce(0, +) == report.jobs.planned)
        #expect(report.enqueue == Report.Enqueue(enqueued: 68, duplicates: 1, refused: 1))

        // What a machine that had the time shows as well.
        if report.verdict == "asPromised" { try expectWholeDay(report) }

        let folder = try #require(DemoRun.folder(in: told))
        #expect(!FileManager.default.fileExists(atPath: folder))
        #expect(try await DemoRun.processes(of: folder) == [])
    }

    private func expectWholeDay(_ report: Report) throws {
        #expect(report.jobs.planned == 264)
        #expect(report.jobs.states["dead"] == 4)
        #expect(report.jobs.states["held"] == 1)
        #expect(report.requests.taken == (report.jobs.states["accepted"] ?? 0) + (report.jobs.states["done"] ?? 0))
        #expect(report.requests.mostInASecond.values.allSatisfy { $0 <= 5 })
        // Every incident that passes, but for the 429, is a repeat of the same id.
        #expect(report.requests.repeats >= 22)
        for fault in ["cut-after", "hang-after", "500-after", "cut", "500", "503", "4290000", "4000132", "4000181"] {
            #expect(report.requests.faults[fault] != nil, "\(fault)")
        }
        let reasons = Dictionary(uniqueKeysWithValues: report.deadLetters.map { ($0.reason, $0) })
        #expect(reasons.mapValues(\.count) == ["invalid": 7, "alreadyRequested": 2, "conflict": 1, "rejected": 4])
        #expect(reasons["rejected"]?.names["InvalidAmountError"] == 2)
        #expect(reasons["invalid"]?.names.count == 7)

        let paused = try #require(report.paused)
        #expect(paused.app == "podcasts")
        #expect(paused.waiting == 96)
        #expect(paused.burnt == 0)
        #expect((1...5).contains(paused.requests))

        let killed = try #require(report.killed)
        if !killed.jobs.isEmpty { #expect(try #require(killed.ownedAgainMs) <= #require(killed.sentAgainMs)) }
    }

    @Test func `Ctrl-C in the middle ends every process and removes the folder`() async throws {
        let run = try await DemoRun.start()
        var told: [String] = []
        for await line in run.child.errors {
            told.append(line)
            // Workers send by then, or Apple could not have refused.
            if line.contains("podcasts is paused") { await run.child.kill(SIGINT) }
        }
        #expect(await run.child.exit == .code(128 + SIGINT))
        #expect(await Array(run.child.output) == [])
        let folder = try #require(DemoRun.folder(in: told))
        #expect(!FileManager.default.fileExists(atPath: folder))
        #expect(try await DemoRun.processes(of: folder) == [])
    }

    @Test func `without a redis-server it says what is missing and leaves nothing`() async throws {
        let run = try await DemoRun.start(path: "/nonexistent")
        let told = await run.errors()
        #expect(await run.child.exit == .code(69))
        #expect(told.contains { $0.contains("redis-server") })
    }
}

/// One run of the demo.
private struct DemoRun {
    let child: ChildProcess

    static func start(path: String = "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin") async throws -> DemoRun {
        DemoRun(
            child: try await ChildProcess.start(
                CommandWorld.program,
                .init(arguments: ["demo", "--json"], environment: ["PATH": path], output: .lines, errors: .lines),
                on: TestLoop.shared))
    }

    func errors() async -> [String] { await Array(child.errors) }

    /// The folder that the demo says it works in.
    static func folder(in told: [String]) -> String? {
        for line in told { if let match = line.firstMatch(of: /\/tmp\/kulanz-demo-\w+/) { return String(match.0) } }
        return nil
    }

    /// The processes whose words name the folder: each of the demo's has its configuration or its data there.
    static func processes(of folder: String) async throws -> [String] {
        let list = try await ChildProcess.start(
            "ps", .init(arguments: ["-A", "-ww", "-o", "args="], output: .lines, errors: .discarded),
            on: TestLoop.shared)
        return await Array(list.output).filter { $0.contains(folder) }
    }
}

extension Array where Element == String {
    fileprivate init(_ lines: AsyncStream<String>) async {
        self = []
        for await line in lines { append(line) }
    }
}

/// What `kulanz demo --json` says.
private struct Report: Decodable {
    struct Requests: Decodable {
        let taken, repeats, repeatsWithOtherBytes, refundedTwice: Int
        let faults, mostInASecond: [String: Int]
    }

    struct Jobs: Decodable {
        let planned: Int
        let lost, neverTaken, takenUnknown: [String]
        let states: [String: Int]
    }

    struct DeadLetter: Decodable {
        let reason: String
        let count: Int
        let names: [String: Int]
    }

    struct Enqueue: Decodable, Equatable { let enqueued, duplicates, refused: Int }

    struct Paused: Decodable {
        let app: String
        let waiting, burnt, requests: Int
    }

    struct Killed: Decodable {
        let jobs: [String]
        let ownedAgainMs, sentAgainMs: Int?
    }

    let verdict: String
    let reasons: [String]
    let requests: Requests
    let jobs: Jobs
    let deadLetters: [DeadLetter]
    let enqueue: Enqueue
    let paused: Paused?
    let killed: Killed?
}
