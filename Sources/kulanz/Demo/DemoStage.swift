import EventLoop
import Foundation
import Lifecycle
import Redis

/// The processes of one demo. Whatever happens, `clear` ends them all.
final class DemoStage: Sendable {
    let loop: EventLoop
    let files: DemoFiles
    let redis: PrivateRedis
    let client: RedisClient
    private let troupe: Troupe

    init(loop: EventLoop, files: DemoFiles) {
        self.loop = loop
        self.files = files
        troupe = Troupe(loop: loop)
        redis = PrivateRedis(loop: loop, folder: files.folder, persistence: .always)
        client = RedisClient(loop: loop, endpoint: redis.endpoint, options: .init(name: "kulanz-demo"))
    }

    /// Starts `kulanz` with these words.
    func start(_ words: [String], name: String, output: ChildProcess.Output = .discarded) async throws -> ChildProcess {
        try await troupe.start(words, log: files.log(of: name), output: output)
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
    func lastWords(of name: String) -> String { Troupe.lastWords(in: files.log(of: name)) }

    /// Ends everything at once and waits until it has ended; nothing starts any more.
    func clear() async {
        // Or its callers would wait for a server that doesn't come back.
        await client.close()
        await troupe.close()
        await redis.kill9()
    }
}
