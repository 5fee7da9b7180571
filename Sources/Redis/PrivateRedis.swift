package import EventLoop
import Foundation
package import Lifecycle

/// A redis-server of our own, in a folder of its own: for tests, for the demo, for a machine without a service.
///
/// It listens on a UNIX socket in that folder (and on a port of 127.0.0.1 if asked), so that nothing outside meets it.
/// It never evicts, rings the bells that workers wait for and keeps large job hashes compact, as config/redis.conf
/// does. The server is our child: it ends with us.
package actor PrivateRedis {
    /// How much a kill of the server may lose.
    package enum Persistence: Sendable, Hashable {
        /// Nothing: every write is on the disk before it is acknowledged.
        case always
        /// Up to two seconds of acknowledged writes.
        case everySecond
        /// Everything; for tests that never restart their server.
        case none
    }

    /// Where what the server says goes.
    package enum Output: Sendable {
        /// Files in its folder.
        case files
        /// Whoever is called with each line, of its log or not.
        case lines(@Sendable (String) -> Void)
    }

    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    package nonisolated let folder: String
    package nonisolated let endpoint: RedisEndpoint
    private let program: [String]
    private let arguments: [String]
    private let environment: [String: String]?
    private let output: Output
    private var lastLines: [String] = []
    private var relays: [Task<Void, Never>] = []
    private var child: ChildProcess?

    /// - Parameters:
    ///   - folder: where socket, log and data go; it exists, and its path is shorter than about 90 bytes.
    ///   - port: a TCP port on 127.0.0.1 beside the socket; 0 for none.
    ///   - configuration: further lines of redis.conf, such as `maxmemory 50mb`; they win over ours.
    ///   - launcher: a command that becomes the server, as `setpriv --pdeathsig KILL` does; its words stand before ours.
    ///   - environment: the server's whole environment; nil inherits ours.
    ///   - output: where its log goes.
    package init(
        loop: EventLoop, folder: String, persistence: Persistence = .always, port: UInt16 = 0,
        configuration: [String] = [], launcher: [String] = [], environment: [String: String]? = nil,
        output: Output = .files
    ) {
        program = launcher + ["redis-server"]
        self.environment = environment
        self.output = output
        self.loop = loop
        self.folder = folder
        let socket = Self.socket(in: folder)
        endpoint = .unix(socket)
        var options = [
            ["port", "\(port)"], ["bind", "127.0.0.1", "-::1"], ["unixsocket", socket], ["unixsocketperm", "700"],
            ["dir", folder], ["daemonize", "no"], ["save", ""], ["maxmemory-policy", "noeviction"],
            ["notify-keyspace-events", "Kt"], ["hash-max-listpack-value", "4096"],
        ]
        if case .files = output {
            options.append(["logfile", "\(folder)/redis.log"])
        } else {
            options.append(["logfile", ""])
        }
        switch persistence {
        case .always: options += [["appendonly", "yes"], ["appendfsync", "always"]]
        case .everySecond: options += [["appendonly", "yes"], ["appendfsync", "everysec"]]
        case .none: options += [["appendonly", "no"]]
        }
        options += configuration.map { line in
            line.split(separator: " ").map { $0 == "\"\"" ? "" : String($0) }
        }
        // One line of redis.conf is one option of the command line: `--port 0`.
        arguments = options.flatMap { ["--" + $0[0]] + $0.dropFirst() }
    }

    /// The process id of the running server.
    package var pid: Int32? { child?.pid }

    /// How the present server ended, once it has; nil when none was started.
    package var exit: ChildProcess.Exit? {
        get async { await child?.exit }
    }

    /// Starts the server and returns as soon as it takes commands; data of an earlier life are loaded by then.
    package func start(within limit: Duration = .seconds(30)) async throws(PrivateRedisError) {
        let started: ChildProcess
        do throws(ChildProcessError) {
            started = try await ChildProcess.start(
                program[0],
                ChildProcess.Options(
                    arguments: program.dropFirst() + arguments, environment: environment, output: whereOutputGoes.log,
                    errors: whereOutputGoes.errors, hasOwnSession: true),
                on: loop)
        } catch {
            throw error.code == ENOENT ? .notInstalled : .notStarted(error.description)
        }
        child = started
        passLines(of: started)
        let domain = LoopDomain(loop)
        let giveUp = ContinuousClock.now + limit
        while ContinuousClock.now < giveUp {
            guard await started.isRunning else {
                child = nil
                // Its last words may still be on their way.
                for relay in relays { await relay.value }
                throw .notStarted("it ended at once (\(await started.exit)). \(lastWords)")
            }
            if await isAnswering() { return }
            guard !Task.isCancelled else {
                await stop()
                throw .notStarted("it was told to end before it answered")
            }
            try? await domain.sleep(for: .milliseconds(5))
        }
        await kill9()
        throw .notStarted("it gave no answer within \(limit). \(lastWords)")
    }

    private var whereOutputGoes: (log: ChildProcess.Output, errors: ChildProcess.Output) {
        if case .files = output { (.discarded, .file("\(folder)/redis.errors")) } else { (.lines, .lines) }
    }

    private func passLines(of server: ChildProcess) {
        guard case .lines(let pass) = output else { return }
        relays = [server.output, server.errors].map { lines in
            Task {
                for await line in lines where !line.isEmpty {
                    lastLines = (lastLines + [line]).suffix(3)
                    pass(line)
                }
            }
        }
    }

    /// A greeting that gets through, its PING included, proves that the server has loaded its data.
    private func isAnswering() async -> Bool {
        let client = RedisClient(loop: loop, endpoint: endpoint, options: .init(name: "kulanz-start"))
        let answer = try? await client.send(["PING"], timeout: .seconds(1))
        await client.close()
        return answer != nil
    }

    private var lastWords: String {
        if case .lines = output { return lastLines.joined(separator: " | ") }
        // Mistakes in the configuration are told before the log is opened.
        let texts = ["redis.errors", "redis.log"].map { name in
            (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)) ?? ""
        }
        return texts.flatMap { $0.split(whereSeparator: \.isNewline).suffix(3) }.joined(separator: " | ")
    }

    /// Ends the server in order; what it holds is on the disk if it persists at all.
    package func stop() async {
        guard let child else { return }
        self.child = nil
        await child.stop()
    }

    /// Ends the server as a power cut would.
    package func kill9() async {
        guard let child else { return }
        self.child = nil
        await child.kill(SIGKILL)
        _ = await child.exit
    }

    /// Starts again on the same data after `kill9()` or `stop()`, or stops first.
    package func restart() async throws(PrivateRedisError) {
        await stop()
        try await start()
    }

    /// Sends the running server a signal, such as SIGSTOP to make it silent.
    package func signal(_ number: Int32) async { _ = await child?.kill(number) }
}

package enum PrivateRedisError: Error, Hashable, CustomStringConvertible {
    case notInstalled
    case notStarted(String)

    package var description: String {
        switch self {
        case .notInstalled:
            "redis-server is not installed. Install the package redis-server (Debian, Ubuntu) or redis (Homebrew)."
        case .notStarted(let reason): "redis-server did not start: \(reason)"
        }
    }
}
