import EventLoop
import Foundation
import Lifecycle
import TestSupport
import Testing

/// `kulanz bench` as its user starts it, with few jobs: that every part measures, not what.
@Suite struct BenchTests {
    @Test(arguments: [
        Promise(
            "drain", cases: ["null-xadd", "null-enqueue", "apple-xadd", "apple-enqueue"],
            figures: ["jobsPerSecond", "redisCPU"]),
        Promise("calls", cases: ["xadd-all", "enqueue-all"], figures: ["callsPerJob", "commandsPerJob"]),
        Promise("memory", cases: ["xadd", "enqueue"], figures: ["bytesPerJob"]),
        Promise(
            "enqueue", cases: ["xadd-single", "xadd-bulk", "enqueue-single", "enqueue-bulk", "command"],
            figures: ["jobsPerSecond", "redisCPU"]),
        Promise("idle", cases: ["xadd"], figures: ["p50", "p99", "worst"]),
    ])
    func `every case of a part gives its figures, the method, the machine and the versions`(promise: Promise)
        async throws
    {
        for line in try await measure(promise.part, expecting: promise.cases) where promise.cases.contains(line.case) {
            for figure in promise.figures {
                let sample = try #require(line.figures[figure], "\(figure) of \(line.case)")
                #expect(sample.values.count == 1)
                #expect(sample.median >= 0)
                #expect(sample.median == sample.least && sample.median == sample.most)
            }
        }
    }

    @Test func `behind the limit no case shows six requests in a sliding second`() async throws {
        for line in try await measure("limiter", expecting: ["backlog", "burst", "latency"]) {
            #expect(line.figures["breaches"]?.median == 0)
            // A stamp may be late where this machine is busy; a breach it is only if no stall explains it.
            if line.figures["worstStallMs"]?.median ?? 0 < 10 { #expect(line.figures["mostInASecond"]?.median == 5) }
            #expect(try #require(line.figures["utilisation"]).median > 0)
        }
    }

    @Test func `after the kill of a worker nothing is lost and nothing is taken twice`() async throws {
        let line = try #require(try await measure("takeover", expecting: ["kill"]).first)
        #expect(line.figures["lost"]?.median == 0)
        #expect(line.figures["takenTwice"]?.median == 0)
        #expect(try #require(line.figures["held"]).median >= 1)
        let owned = try #require(line.figures["ownedAgain"])
        #expect(try #require(line.figures["sentAgain"]).median >= owned.median)
    }

    @Test func `a call settles at most as many jobs as one leases, and enqueues one`() async throws {
        let lines = try await measure(
            "calls", expecting: ["xadd-settle", "xadd-lease", "xadd-adopt", "enqueue-enqueue"])
        func calls(_ name: String) -> Double { lines.first { $0.case == name }?.figures["callsPerJob"]?.median ?? 0 }
        for way in ["xadd", "enqueue"] { #expect((0.2...1).contains(calls("\(way)-settle"))) }
        #expect(calls("enqueue-enqueue") == 1)
    }

    @Test func `tables for people fit into 80 columns, and Markdown has a table for each part`() async throws {
        let text = try await BenchRun.start(["memory", "drain", "--quick", "--jobs", "20"]).finished()
        #expect(text.exit == .code(0))
        #expect(text.output.contains("Drain of waiting jobs"))
        #expect(text.output.allSatisfy { $0.count <= 80 })
        let markdown = try await BenchRun.start(["memory", "--quick", "--jobs", "20", "--markdown"]).finished()
        #expect(markdown.output.first?.hasPrefix("Measured on ") == true)
        #expect(markdown.output.contains("### Redis' memory for a waiting job"))
        #expect(markdown.output.contains("| case | bytes/job |"))
    }

    @Test(arguments: [
        ["nonsense"], ["drain", "--jobs", "9"], ["drain", "--jobs", "many"], ["--repeat", "0"], ["--permits", "65"],
        ["memory", "--json", "--markdown"], ["drain", "--nope"],
    ])
    func `what can't be measured is refused before anything is started`(words: [String]) async throws {
        let run = try await BenchRun.start(words).finished()
        #expect(run.exit == .code(64))
        #expect(run.output == [])
        #expect(run.folder == nil)
    }

    @Test func `Ctrl-C in the middle ends every process and removes the folder`() async throws {
        let run = try await BenchRun.start(["drain", "--jobs", "20000"])
        var told: [String] = []
        var isInterrupted = false
        for await line in run.child.errors {
            told.append(line)
            guard !isInterrupted, line.contains("null, by XADD"), let folder = BenchRun.folder(in: told) else {
                continue
            }
            isInterrupted = true
            while try await BenchRun.processes(of: folder).isEmpty { await Task.yield() }
            await run.child.kill(SIGINT)
        }
        #expect(await run.child.exit == .code(128 + SIGINT))
        let folder = try #require(BenchRun.folder(in: told))
        #expect(!FileManager.default.fileExists(atPath: folder))
        #expect(try await BenchRun.processes(of: folder) == [])
    }

    @Test func `without a redis-server it says what is missing and leaves nothing`() async throws {
        let run = try await BenchRun.start(["memory", "--quick"], path: "/nonexistent").finished()
        #expect(run.exit == .code(69))
        #expect(run.errors.contains { $0.contains("redis-server") })
        #expect(!FileManager.default.fileExists(atPath: try #require(run.folder)))
    }

    @Test func `the worker without a limit serves no Redis but a bench's own, and help doesn't name it`() async throws {
        try await withCommands { world in
            let run = try await world.run("bench-worker", "--folder", world.folder.path)
            #expect(run.exit == .code(64))
            #expect(run.errors.contains { $0.contains("not the Redis of a running kulanz bench") })
            let help = try await world.run("--help")
            #expect(!help.output.contains { $0.contains("bench-worker") })
        }
    }

    /// Runs one part and checks what every line of it has.
    private func measure(_ part: String, expecting cases: Set<String>) async throws -> [Line] {
        let run = try await BenchRun.start([part, "--quick", "--json"]).finished()
        #expect(run.exit == .code(0), "\(run.errors.suffix(3))")
        let lines = try run.output.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
        #expect(Set(lines.map(\.case)).isSuperset(of: cases))
        for line in lines {
            #expect(line.part == part)
            #expect(!line.method.isEmpty)
            #expect(line.machine.cores > 0)
            #expect(line.versions["kulanz"] != nil && line.versions["redis"] != nil)
            #expect(line.build == "debug" || line.build == "release")
            // A comparison is made only with what was measured in the same run.
            #expect(line.peer == nil || lines.contains { $0.case == line.peer })
            #expect((line.peer == nil) == (line.timesThePeer == nil))
        }
        let folder = try #require(run.folder)
        #expect(!FileManager.default.fileExists(atPath: folder))
        #expect(try await BenchRun.processes(of: folder) == [])
        return lines
    }
}

/// What a part promises to tell.
struct Promise: Sendable, CustomTestStringConvertible {
    let part: String
    let cases: Set<String>
    let figures: [String]

    init(_ part: String, cases: Set<String>, figures: [String]) {
        (self.part, self.cases, self.figures) = (part, cases, figures)
    }

    var testDescription: String { part }
}

/// A line of `kulanz bench --json`.
private struct Line: Decodable {
    struct Sample: Decodable {
        let median, least, most: Double
        let values: [Double]
    }

    struct Machine: Decodable { let cores: Int }

    let part, `case`, method, build: String
    let figures: [String: Sample]
    let machine: Machine
    let versions: [String: String]
    let peer: String?
    let timesThePeer: [String: Double]?
}

/// One run of the bench.
private struct BenchRun {
    let child: ChildProcess

    static func start(
        _ words: [String], path: String = "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin"
    ) async throws -> BenchRun {
        BenchRun(
            child: try await ChildProcess.start(
                Program.path,
                .init(arguments: ["bench"] + words, environment: ["PATH": path], output: .lines, errors: .lines),
                on: TestLoop.shared))
    }

    struct End {
        let exit: ChildProcess.Exit
        let output, errors: [String]
        var folder: String? { BenchRun.folder(in: errors) }
    }

    func finished() async -> End {
        async let output = child.output.reduce(into: [String]()) { $0.append($1) }
        async let errors = child.errors.reduce(into: [String]()) { $0.append($1) }
        return await End(exit: child.exit, output: output, errors: errors)
    }

    /// The folder that the bench says it works in.
    static func folder(in told: [String]) -> String? {
        for line in told { if let match = line.firstMatch(of: /\/tmp\/kulanz-bench-\w+/) { return String(match.0) } }
        return nil
    }

    /// The processes that name the folder or, as a redis-server does, live in it.
    static func processes(of folder: String) async throws -> [String] {
        let list = try await ChildProcess.start(
            "ps", .init(arguments: ["-A", "-ww", "-o", "pid=,args="], output: .lines, errors: .discarded),
            on: TestLoop.shared)
        let lines = await list.output.reduce(into: [String]()) { $0.append($1) }
        return lines.filter { line in
            let pid = line.split(separator: " ").first ?? ""
            let home = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/cwd")
            return line.contains(folder) || home?.hasPrefix(folder) == true
        }
    }
}
