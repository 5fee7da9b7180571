package import EventLoop
import Foundation
package import Telemetry

/// Keeps one child alive: starts it again when it dies, until it is told to end. `Upkeep` says when.
package actor KeptChild: StartingService, DrainingService {
    /// One life of the child, from its start to its end.
    package struct Life: Sendable {
        let pid: Int32?
        let exit: @Sendable () async -> ChildProcess.Exit?
        let signal: @Sendable (Int32) async -> Void
        let lastWords: @Sendable () async -> String

        package init(
            pid: Int32?, exit: @escaping @Sendable () async -> ChildProcess.Exit?,
            signal: @escaping @Sendable (Int32) async -> Void,
            lastWords: @escaping @Sendable () async -> String = { "" }
        ) {
            (self.pid, self.exit, self.signal, self.lastWords) = (pid, exit, signal, lastWords)
        }

        package init(_ child: ChildProcess) {
            self.init(pid: child.pid, exit: { await child.exit }, signal: { _ = await child.kill($0) })
        }
    }

    package nonisolated let name: String
    private let log: Log
    private let domain: LoopDomain
    /// From SIGTERM to SIGKILL once the service is cancelled.
    private let patience: Duration
    private let begin: @Sendable () async throws -> Life
    private var upkeep: Upkeep
    private var life: Life?
    private var began = ContinuousClock.now
    private var isEnding = false
    private var beginning: Task<Life, any Error>?
    private var pause: Task<Void, any Error>?

    /// - Parameter begin: starts one life; what it throws counts as a death, except in `start`.
    package init(
        _ name: String, upkeep: Upkeep, patience: Duration, loop: EventLoop, log: Log,
        begin: @escaping @Sendable () async throws -> Life
    ) {
        self.name = name
        self.log = log
        self.patience = patience
        self.upkeep = upkeep
        self.begin = begin
        domain = LoopDomain(loop)
    }

    // MARK: Service

    /// Begins the first life; who can't even do that is not kept.
    package func start() async throws {
        do {
            try await beginLife()
        } catch {
            // Whoever told us to end knows why.
            throw Task.isCancelled ? CancellationError() : error
        }
    }

    package func run() async throws {
        try await withTaskCancellationHandler {
            try await keep()
        } onCancel: {
            Task { await self.endSoon() }
        }
    }

    /// Asks the child to end; it is not started again.
    package func quiet() async {
        guard !isEnding else { return }
        await askToEnd()
    }

    private func askToEnd() async {
        isEnding = true
        beginning?.cancel()
        pause?.cancel()
        await life?.signal(SIGTERM)
    }

    /// Like `quiet`, but with an end to patience. A worker that drains takes the second SIGTERM as the order to end at
    /// once.
    private func endSoon() async {
        await askToEnd()
        try? await domain.sleep(for: patience)
        await life?.signal(SIGKILL)
    }

    // MARK: Keeping

    private func keep() async throws {
        while !isEnding {
            do {
                if life == nil { try await beginLife() }
            } catch {
                guard !isEnding, !Task.isCancelled else { return }
                log(.error, "\(name) can't be started", ["error": "\(error)"])
                try await wait(after: nil, "\(error)")
                continue
            }
            // It was told to end while it was being started.
            if isEnding { await life?.signal(SIGTERM) }
            let exit = await life?.exit()
            let lastWords = await life?.lastWords() ?? ""
            life = nil
            guard !isEnding else { return log(.info, "\(name) has ended", ["how": exit.words]) }
            log(.warning, "\(name) died", ["how": exit.words])
            try await wait(after: exit, lastWords)
        }
    }

    private func beginLife() async throws {
        began = .now
        // A beginning may take minutes, and whoever asks for the end meanwhile doesn't wait for it.
        let beginning = Task { [begin] in try await begin() }
        self.beginning = beginning
        defer { self.beginning = nil }
        let life = try await withTaskCancellationHandler {
            try await beginning.value
        } onCancel: {
            beginning.cancel()
        }
        self.life = life
        log(.info, "\(name) runs", ["pid": life.pid.map(String.init) ?? ""])
    }

    private func wait(after exit: ChildProcess.Exit?, _ lastWords: String) async throws {
        switch upkeep.died(exit, after: .now - began) {
        case .giveUp: throw ChildGivenUp(name: name, exit: exit, lastWords: lastWords)
        case .again(after: .zero): return
        case .again(let delay):
            log(.info, "\(name) starts again soon", ["seconds": "\(delay.components.seconds)"])
            let pause = Task { [domain] in try await domain.sleep(for: delay) }
            self.pause = pause
            if isEnding { pause.cancel() }
            _ = await pause.result
            self.pause = nil
        }
    }
}

/// A child that ended by itself right after each of several starts.
package struct ChildGivenUp: Error, Hashable, CustomStringConvertible {
    package let name: String
    /// Its last end; nil if it could not even be started.
    package let exit: ChildProcess.Exit?
    /// What it said before, or why it could not be started.
    package let lastWords: String

    package var description: String {
        let what =
            exit == nil
            ? "\(name) can't be started" : "\(name) ended again and again right after its start, at last \(exit.words)"
        return lastWords.isEmpty ? what : "\(what): \(lastWords)"
    }
}

extension ChildProcess.Exit? {
    fileprivate var words: String {
        switch self {
        case .code(let code): "with code \(code)"
        case .signal(let signal): "by signal \(signal)"
        case nil: "unseen"
        }
    }
}
