import AppStoreSimulator
import Crypto
import EventLoop
import Foundation
import Lifecycle
import Redis
import TestSupport

/// A machine on which `kulanz up` runs with a private Redis; Apple is in this process.
struct UpWorld: Sendable {
    /// Its client and its books are of the Redis that `up` keeps in `data`.
    let program: ProgramWorld
    let configuration: String

    var folder: TemporaryFolder { program.folder }
    var data: String { folder["data"] }
    var socket: String { PrivateRedis.socket(in: data) }

    /// Starts `kulanz up` and returns once everything runs.
    func up(_ arguments: [String] = ["--workers", "2"]) async throws -> UpProcess {
        let up = try await start(arguments)
        try await eventually("everything runs") {
            guard await up.child.isRunning else {
                throw UpEnded(exit: await up.child.exit, log: up.lines.suffix(10).joined(separator: "\n"))
            }
            return up.lines.contains { $0.contains("everything runs") }
        }
        for number in 1...(Int(arguments.last ?? "") ?? 2) {
            try await eventually("worker \(number) is at work") {
                guard let pid = up.pids(of: "worker-\(number)").last else { return false }
                return try await program.name(ofWorker: pid) != nil
            }
        }
        return up
    }

    func start(_ arguments: [String] = ["--workers", "2"], variables: [String: String] = [:]) async throws -> UpProcess
    {
        let log = folder["up-\(UUID().uuidString).log"]
        let settings = variables.map { "\($0.key)=\($0.value)" }
        let child = try await program.crew.start(
            "/usr/bin/env", settings + [Program.path, "up", "--config", configuration] + arguments, errors: log,
            on: program.loop)
        return UpProcess(child: child, log: log)
    }

    /// Runs `kulanz` to its end.
    func run(_ arguments: String...) async throws -> ShortCommand.Outcome {
        try await ShortCommand.run(Program.path, arguments + ["--config", configuration])
    }

    /// All processes, of every `up` of this world, that still run and bear the name.
    func living(_ name: String) -> [Int32] {
        let logs = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return logs.filter { $0.hasPrefix("up-") }.flatMap { log in
            UpProcess.lines(folder[log]).compactMap { UpProcess.pid(in: $0, of: name) }
        }.filter(\.isAlive)
    }

    fileprivate func clear() async {
        await program.client.close()
        await program.crew.end()
        // What outlived its parent: a test that failed in the middle must leave nothing.
        for number in 1...4 { for pid in living("worker-\(number)") { kill(pid, SIGKILL) } }
        _ = try? await program.redis.endForgotten(patience: .seconds(2))
    }
}

/// One `kulanz up`.
struct UpProcess: Sendable {
    let child: ChildProcess
    let log: String

    var lines: [String] { Self.lines(log) }

    static func lines(_ log: String) -> [String] {
        ((try? String(contentsOfFile: log, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }

    /// Every process that has borne the name, in order.
    func pids(of name: String) -> [Int32] { lines.compactMap { Self.pid(in: $0, of: name) } }

    static func pid(in line: String, of name: String) -> Int32? {
        guard line.hasPrefix("up "), let match = line.firstMatch(of: /: (?<name>[a-z0-9-]+) runs pid=(?<pid>[0-9]+)/),
            match.name == name
        else { return nil }
        return Int32(match.pid)
    }
}

struct UpEnded: Error {
    let exit: ChildProcess.Exit
    let log: String
}

extension Int32 {
    /// Whether the process still runs; a zombie that nobody collects has ended.
    var isAlive: Bool {
        guard kill(self, 0) == 0 else { return false }
        let status = (try? String(contentsOfFile: "/proc/\(self)/stat", encoding: .utf8)) ?? ""
        return !status.contains(") Z ")
    }
}

/// Makes a machine for `body` and ends everything on it afterwards.
func withUp(_ change: (inout WorldShape) -> Void = { _ in }, _ body: (UpWorld) async throws -> Void) async throws {
    var shape = WorldShape()
    change(&shape)
    await Seats.shared.take()
    let loop = EventLoop(name: "test.world")
    do {
        try await withTemporaryFolder { try await inFolder($0, shape, loop, body) }
    } catch {
        loop.stop()
        await Seats.shared.give()
        throw error
    }
    loop.stop()
    await Seats.shared.give()
}

private func inFolder(
    _ folder: TemporaryFolder, _ shape: WorldShape, _ loop: EventLoop, _ body: (UpWorld) async throws -> Void
) async throws {
    try SigningKey.generate().pemPKCS8.write(toFile: folder["key.p8"], atomically: true, encoding: .utf8)
    var options = SimulatorOptions()
    options.scenario = try Scenario(
        json5: Array("{ doubleRefunds: \"accept\", pending: \"never\", \(shape.scenario) }".utf8))
    let simulator = try Simulator(loop: loop, options: options)
    let port = try await simulator.start()
    let redis = PrivateRedis(loop: loop, folder: folder["data"])
    let program = ProgramWorld(
        shape: shape, loop: loop, folder: folder, redis: redis,
        client: RedisClient(
            loop: loop, endpoint: redis.endpoint,
            options: .init(connectTimeout: .seconds(10), commandTimeout: .seconds(30))),
        simulator: simulator, port: port, crew: Crew())
    let file = try program.configuration()
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try text.replacing("redis+unix://\(folder["redis.sock"])", with: "embedded:data")
        .write(toFile: file, atomically: true, encoding: .utf8)
    let world = UpWorld(program: program, configuration: file)
    do {
        try await body(world)
    } catch {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        where name.hasPrefix("up-") {
            for line in UpProcess.lines(folder[name]).suffix(40) { print("\(name.prefix(7)): \(line)") }
        }
        await world.clear()
        await simulator.stop()
        throw error
    }
    await world.clear()
    await simulator.stop()
}
