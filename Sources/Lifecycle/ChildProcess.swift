package import EventLoop
import Foundation
import Synchronization

/// A process that we start, watch and end.
///
/// Its end is awaited as an event; nobody polls. Children that still run when this process exits normally (a return
/// from `main`, `exit`) are killed; after a `kill -9` of ours they go on, for libuv has no parent-death signal.
package actor ChildProcess {
    /// How a process ended.
    package enum Exit: Sendable, Hashable {
        case code(Int32)
        case signal(Int32)
    }

    /// Where what a child prints goes.
    package enum Output: Sendable, Hashable {
        case inherited
        case discarded
        /// Appended to a file, which is made when missing.
        case file(String)
        /// Read line by line through `output` or `errors`. The newest 10,000 unread lines are kept.
        case lines
    }

    /// What a child reads.
    package enum Input: Sendable, Hashable {
        /// Its end at once.
        case nothing
        /// Nothing, and its end when this process ends, however that happens: a child that watches for it never outlives
        /// us.
        case leash
    }

    package struct Options: Sendable {
        package var arguments: [String] = []
        /// The whole environment; nil inherits ours.
        package var environment: [String: String]?
        package var directory: String?
        package var input = Input.nothing
        package var output = Output.inherited
        package var errors = Output.inherited
        /// A session of its own keeps the terminal's ^C away, so that we alone decide in which order children end.
        package var hasOwnSession = false

        package init(
            arguments: [String] = [], environment: [String: String]? = nil, directory: String? = nil,
            input: Input = .nothing, output: Output = .inherited, errors: Output = .inherited,
            hasOwnSession: Bool = false
        ) {
            self.arguments = arguments
            self.environment = environment
            self.directory = directory
            self.input = input
            self.output = output
            self.errors = errors
            self.hasOwnSession = hasOwnSession
        }
    }

    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    package nonisolated let program: String
    /// Lines of standard output, without their ends, until the last holder of the pipe closed it; empty unless the
    /// options ask for `.lines`. One consumer.
    package nonisolated let output: AsyncStream<String>
    /// Lines of standard error, like `output`.
    package nonisolated let errors: AsyncStream<String>

    private nonisolated let identifier = Atomic<Int32>(0)
    private let outputLines: AsyncStream<String>.Continuation
    private let errorLines: AsyncStream<String>.Continuation
    private var process: LoopProcess?
    private var pipes: [LinePipe] = []
    private var leash: Int32?
    private var ending: Exit?
    private var waiting: [CheckedContinuation<Exit, Never>] = []

    /// The process id; it means nothing after `exit`.
    package nonisolated var pid: Int32 { identifier.load(ordering: .relaxed) }

    private init(_ loop: EventLoop, _ program: String) {
        self.loop = loop
        self.program = program
        (output, outputLines) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(10_000))
        (errors, errorLines) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(10_000))
    }

    /// Starts `program`: a path, or a name looked up in `PATH`.
    package static func start(
        _ program: String, _ options: Options = Options(), on loop: EventLoop
    ) async throws(ChildProcessError) -> ChildProcess {
        let child = ChildProcess(loop, program)
        try await child.start(options)
        return child
    }

    private func start(_ options: Options) throws(ChildProcessError) {
        var lent: [Int32] = []
        defer { for descriptor in lent { close(descriptor) } }
        var plan = LoopProcess.Plan(program: program)
        plan.arguments = options.arguments
        plan.environment = options.environment.map { $0.map { "\($0.key)=\($0.value)" } }
        plan.directory = options.directory
        plan.hasOwnSession = options.hasOwnSession
        let output = try descriptor(for: options.output, inherited: STDOUT_FILENO, outputLines, &lent)
        let errors = try descriptor(for: options.errors, inherited: STDERR_FILENO, errorLines, &lent)
        plan.descriptors = [try descriptor(for: options.input, &lent), output, errors]
        do throws(SystemFailure) {
            let process = try loop.spawn(plan) { [self] exit in
                assumeIsolated { $0.ended(exit) }
            }
            self.process = process
            identifier.store(process.pid, ordering: .relaxed)
            Children.shared.add(process.pid)
        } catch {
            outputLines.finish()
            errorLines.finish()
            dropLeash()
            throw ChildProcessError(program: program, code: error.code, reason: error.message)
        }
    }

    private func descriptor(for input: Input, _ lent: inout [Int32]) throws(ChildProcessError) -> Int32? {
        guard input == .leash else { return nil }
        let ends = try makePipe()
        lent.append(ends.reading)
        leash = ends.writing
        return ends.reading
    }

    private func dropLeash() {
        if let leash { close(leash) }
        leash = nil
    }

    /// Closed to other children: a stranger that holds the writing end keeps it from ending.
    private func makePipe() throws(ChildProcessError) -> (reading: Int32, writing: Int32) {
        do throws(SystemFailure) {
            return try EventLoop.makePipe()
        } catch {
            throw ChildProcessError(program: program, code: error.code, reason: "make a pipe: \(error.message)")
        }
    }

    private func descriptor(
        for output: Output, inherited: Int32, _ lines: AsyncStream<String>.Continuation, _ lent: inout [Int32]
    ) throws(ChildProcessError) -> Int32? {
        if output != .lines { lines.finish() }
        switch output {
        case .inherited: return inherited
        case .discarded: return nil
        case .file(let path):
            let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else {
                throw ChildProcessError(program: program, errno: errno, doing: "open \(path)")
            }
            lent.append(descriptor)
            return descriptor
        case .lines:
            let ends = try makePipe()
            lent.append(ends.writing)
            pipes.append(LinePipe(loop, ends.reading, lines))
            return ends.writing
        }
    }

    private func ended(_ exit: LoopProcess.Exit) {
        Children.shared.remove(pid)
        process = nil
        dropLeash()
        let ending: Exit = exit.signal != 0 ? .signal(exit.signal) : .code(exit.code)
        self.ending = ending
        for continuation in waiting { continuation.resume(returning: ending) }
        waiting = []
    }

    /// How the process ended; waits until it has.
    package var exit: Exit {
        get async {
            if let ending { return ending }
            return await withCheckedContinuation { waiting.append($0) }
        }
    }

    /// Whether the process has not ended yet.
    package var isRunning: Bool { ending == nil }

    /// Sends a signal; false once the process has ended.
    @discardableResult
    package func kill(_ signal: Int32 = SIGTERM) -> Bool { process?.kill(signal) ?? false }

    /// Asks with SIGTERM, insists with SIGKILL after `patience`, and waits for the end.
    @discardableResult
    package func stop(within patience: Duration = .seconds(10)) async -> Exit {
        kill(SIGTERM)
        let insist = loop.after(patience) { [weak self] in self?.assumeIsolated { _ = $0.kill(SIGKILL) } }
        defer { insist.cancel() }
        return await exit
    }
}

/// Why a program could not be started.
package struct ChildProcessError: Error, Hashable, CustomStringConvertible {
    package let program: String
    /// The `errno`; `ENOENT` when there is no such program.
    package let code: Int32
    package let reason: String

    package var description: String { "can't start \(program): \(reason)" }

    init(program: String, code: Int32, reason: String) {
        (self.program, self.code, self.reason) = (program, code, reason)
    }

    init(program: String, errno: Int32, doing: String) {
        self.init(program: program, code: errno, reason: "\(doing): \(String(cString: strerror(errno)))")
    }
}

/// The processes to kill when this one exits.
final class Children: Sendable {
    static let shared = Children()
    private let pids = Mutex<Set<Int32>>([])

    private init() {
        atexit { Children.shared.killAll() }
    }

    func add(_ pid: Int32) { pids.withLock { _ = $0.insert(pid) } }
    func remove(_ pid: Int32) { pids.withLock { _ = $0.remove(pid) } }

    func killAll() {
        // A child is removed before its pid can be another's, so this can't hit a stranger.
        pids.withLock { for pid in $0 { kill(pid, SIGKILL) } }
    }
}
