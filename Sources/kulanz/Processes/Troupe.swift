import EventLoop
import Foundation
import Lifecycle
import Redis
import Synchronization

/// The processes that a command has started. Whatever happens, `close` ends them all.
final class Troupe: Sendable {
    let loop: EventLoop
    private let state = Mutex(State())

    private struct State {
        var running: [ChildProcess] = []
        var servers: [PrivateRedis] = []
        var isClosed = false
    }

    init(loop: EventLoop) { self.loop = loop }

    /// The very program that runs, so that what it starts is of the version that it belongs to.
    static var program: String { Bundle.main.executablePath ?? CommandLine.arguments[0] }

    /// Starts a program, `kulanz` itself if none is named. Sessions of their own keep ^C away: we end them, in order.
    /// - Parameter log: the file for what it writes to standard error.
    func start(
        _ words: [String], program: String = Troupe.program, log: String, output: ChildProcess.Output = .discarded,
        environment: [String: String]? = nil
    ) async throws -> ChildProcess {
        let child = try await ChildProcess.start(
            program,
            .init(
                arguments: words, environment: environment, output: output, errors: .file(log), hasOwnSession: true),
            on: loop)
        let isClosed = state.withLock { state in
            state.running.append(child)
            return state.isClosed
        }
        if isClosed {
            await child.kill(SIGKILL)
            throw CancellationError()
        }
        return child
    }

    func start(_ redis: PrivateRedis) async throws {
        state.withLock { $0.servers.append(redis) }
        try await redis.start()
        if state.withLock({ $0.isClosed }) {
            await redis.kill9()
            throw CancellationError()
        }
    }

    /// The first line of what a program answers; nil where there is none, or where it fails.
    func firstLine(of program: String, _ words: [String]) async -> String? {
        let child = try? await start(words, program: program, log: "/dev/null", output: .lines)
        guard let child else { return nil }
        var first: String?
        for await line in child.output where first == nil { first = line }
        return await child.exit == .code(0) ? first : nil
    }

    /// Ends everything at once and waits until it has ended; nothing starts any more.
    func close() async {
        state.withLock { $0.isClosed = true }
        await clear()
    }

    /// Ends everything at once and waits until it has ended.
    func clear() async {
        let (running, servers) = state.withLock { state in
            defer { (state.running, state.servers) = ([], []) }
            return (state.running, state.servers)
        }
        for child in running { await child.kill(SIGKILL) }
        for child in running { _ = await child.exit }
        for server in servers { await server.kill9() }
    }

    /// The end of what a process wrote to its log.
    static func lastWords(in log: String) -> String {
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        return text.split(whereSeparator: \.isNewline).suffix(3).joined(separator: " | ")
    }
}
