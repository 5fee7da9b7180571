import EventLoop
import Foundation
import Lifecycle
import Redis
import Synchronization

/// The processes of one demo. Whatever happens, `clear` ends them all.
final class DemoStage: Sendable {
    let loop: EventLoop
    let files: DemoFiles
    let redis: PrivateRedis
    let client: RedisClient
    private let children = Mutex<Children>(Children())

    private struct Children {
        var running: [ChildProcess] = []
        var isClosed = false
    }

    init(loop: EventLoop, files: DemoFiles) {
        self.loop = loop
        self.files = files
        redis = PrivateRedis(loop: loop, folder: files.folder, persistence: .always)
        client = RedisClient(loop: loop, endpoint: redis.endpoint, options: .init(name: "kulanz-demo"))
    }

    /// The very program that runs, so that a demo shows the version it belongs to.
    private static var program: String {
        Bundle.main.executablePath ?? CommandLine.arguments[0]
    }

    /// Starts `kulanz` with these words. Sessions of their own keep ^C away: we end them, in order.
    func start(_ words: [String], name: String, output: ChildProcess.Output = .discarded) async throws -> ChildProcess {
        let child = try await ChildProcess.start(
            Self.program,
            .init(arguments: words, output: output, errors: .file(files.log(of: name)), hasOwnSession: true),
            on: loop)
        let isClosed = children.withLock { children in
            children.running.append(child)
            return children.isClosed
        }
        if isClosed {
            await child.kill(SIGKILL)
            throw CancellationError()
        }
        return child
    }

    /// Starts Apple on this machine; returns its process and its port.
    func startSimulator() async throws -> (ChildProcess, UInt16) {
        let child = try await start(
            ["simulate", "--port", "0", "--scenario", files.scenario, "--journal", files.journal],
            name: "simulator", output: .lines)
        for await line in child.output {
            guard let port = line.firstMatch(of: /127\.0\.0\.1:([0-9]+)/).flatMap({ UInt16($0.1) }) else { continue }
            return (child, port)
        }
        throw DemoFailure("the simulator did not start. \(lastWords(of: "simulator"))")
    }

    func startWorker(_ number: Int) async throws -> ChildProcess {
        try await start(["worker", "--config", files.config], name: "worker-\(number)")
    }

    /// The end of what a process wrote to its log.
    func lastWords(of name: String) -> String {
        let log = (try? String(contentsOfFile: files.log(of: name), encoding: .utf8)) ?? ""
        return log.split(whereSeparator: \.isNewline).suffix(3).joined(separator: " | ")
    }

    /// Ends everything at once and waits until it has ended; nothing starts any more.
    func clear() async {
        let running = children.withLock { children in
            children.isClosed = true
            return children.running
        }
        for child in running { await child.kill(SIGKILL) }
        // Or its callers would wait for a server that doesn't come back.
        await client.close()
        for child in running { _ = await child.exit }
        await redis.kill9()
    }
}
