package import EventLoop
import Foundation
import HTTP

/// Apple on this machine: the three endpoints over HTTP/1.1, in the clear or over TLS, faults included, and a journal of
/// what arrived.
///
/// All of it happens on one loop's thread, so the journal's order is the order in which things were decided. A handler
/// waits only to be late on purpose.
package actor Simulator {
    package nonisolated let loop: EventLoop
    /// What was made because the options name a folder for it.
    package nonisolated let credentials: Credentials?
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// What a client has to trust, if the options name a folder for it: the path of a PEM file.
    package nonisolated let caFile: String?
    private let identity: TLSIdentity?
    private let options: SimulatorOptions
    private let started = ContinuousClock.now
    private let domain: LoopDomain
    private var apple: Apple
    private var journal: Journal
    private var meter: StallMeter
    private var ticker: LoopTimer?
    private var server: HTTPServer?
    private var isJournalBroken = false
    private var watchers: [AsyncStream<JournalEntry>.Continuation] = []

    /// Makes the certificate chain and opens the journal; throws when a file or the scenario is in the way.
    package init(loop: EventLoop, options: SimulatorOptions) throws {
        self.loop = loop
        self.options = options
        domain = LoopDomain(loop)
        let house = try options.tlsFolder.map {
            try HouseAuthority(in: $0, host: options.host, wallMs: Self.wallMs)
        }
        (caFile, identity) = (house?.caFile, house?.identity)
        var scenario = options.scenario
        credentials = try options.credentialsFolder.map { try Credentials(for: &scenario, in: $0) }
        apple = try Apple(scenario: scenario, wallMs: Self.wallMs)
        journal = try Journal(path: options.journalPath, isPrinted: options.printsJournal)
        meter = StallMeter(at: 0)
        if let path = options.rootPath { try apple.rootPEM.write(toFile: path, atomically: true, encoding: .utf8) }
    }

    /// What a verifier of the signed payloads has to trust.
    package var rootPEM: String { apple.rootPEM }

    /// Takes calls from here on; returns the port.
    package func start() async throws -> UInt16 {
        try journal.append(.start(wallMs: Self.wallMs - nanosecondsSinceStart / 1_000_000))
        let server = HTTPServer(
            loop: loop, host: options.host, port: options.port, identity: identity,
            beforeBody: { [weak self] request in self?.assumeIsolated { $0.decideOnHead(of: request) } },
            handler: { [weak self] request in await self?.answer(request) ?? .cut })
        let port = try await server.start()
        self.server = server
        meter = StallMeter(at: nanosecondsSinceStart)
        ticker = loop.every(StallMeter.period) { [weak self] in self?.assumeIsolated { $0.tick() } }
        return port
    }

    /// Cuts what is unanswered and closes the journal with the worst stall.
    package func stop() async {
        guard let server else { return }
        self.server = nil
        await server.stop()
        ticker?.cancel()
        write(.stop(meter.worst))
        for watcher in watchers { watcher.finish() }
        watchers = []
    }

    /// What the journal proves so far. Of more than 200,000 lines the latest; an audit of the file sees all.
    package func report(requestsPerSecond: [String: Double] = [:]) -> JournalAudit {
        JournalAudit(journal.recent + [.stop(meter.worst)], requestsPerSecond: requestsPerSecond)
    }

    /// The arrivals that memory holds, in the order of their verdicts.
    package var entries: [JournalEntry] {
        journal.recent.compactMap { if case .arrival(let entry) = $0 { entry } else { nil } }
    }

    /// Every arrival from now on, as soon as its verdict is in the journal: something to await instead of a time.
    package func arrivals() -> AsyncStream<JournalEntry> {
        let (stream, continuation) = AsyncStream<JournalEntry>.makeStream()
        watchers.append(continuation)
        return stream
    }

    /// Another Apple from here on; what it has done so far it remembers.
    package func adopt(_ scenario: Scenario) { apple.adopt(scenario) }

    // MARK: Requests

    private func decideOnHead(of request: HTTPServerRequest) -> HTTPServerAction? {
        guard let verdict = apple.receiveHead(of: arrival(request)) else { return nil }
        write(.arrival(verdict.entry))
        return .cut
    }

    private func answer(_ request: HTTPServerRequest) async -> HTTPServerAction {
        let desk = ControlDesk(method: request.method, path: request.path, query: request.query, body: request.body)
        if let answer = desk.answer(apple: &apple, journal: &journal, worstStall: meter.worst) {
            return .respond(answer)
        }
        let verdict = apple.receive(arrival(request))
        guard write(.arrival(verdict.entry)) else { return .cut }
        if verdict.latencyMs > 0 {
            // A server that stops has no patience for what is late; it cuts the connection itself.
            try? await domain.sleep(for: .milliseconds(verdict.latencyMs))
        }
        switch verdict.ending {
        case .answer(let answer): return .respond(answer)
        case .cut: return .cut
        case .hang: return .hang
        }
    }

    private func arrival(_ request: HTTPServerRequest) -> Arrival {
        let nanoseconds = Self.nanoseconds(of: started.duration(to: request.arrival))
        return Arrival(
            nanoseconds: nanoseconds, wallMs: Self.wallMs, connection: request.connection, method: request.method,
            path: request.path, authorization: request.values(of: "Authorization").first, body: request.body)
    }

    // MARK: Journal and clock

    /// False when the journal takes no more, for instance because a disk is full. From then on every call is cut:
    /// going on would leave a journal that looks whole and isn't.
    @discardableResult
    private func write(_ line: JournalLine) -> Bool {
        guard !isJournalBroken else { return false }
        do {
            try journal.append(line)
            if case .arrival(let entry) = line {
                watchers.removeAll { if case .terminated = $0.yield(entry) { true } else { false } }
            }
            return true
        } catch {
            isJournalBroken = true
            let text = "The simulator's journal takes no more (\(error)); from now on every call is cut.\n"
            FileHandle.standardError.write(Data(text.utf8))
            return false
        }
    }

    private func tick() {
        if let stall = meter.tick(at: nanosecondsSinceStart) { write(.stall(stall)) }
    }

    private var nanosecondsSinceStart: Int64 { Self.nanoseconds(of: started.duration(to: .now)) }

    private static func nanoseconds(of duration: Duration) -> Int64 {
        duration.components.seconds * 1_000_000_000 + duration.components.attoseconds / 1_000_000_000
    }

    private static var wallMs: Int64 { Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)) }
}

extension HTTPServerAction {
    fileprivate static func respond(_ answer: Answer) -> HTTPServerAction {
        .respond(status: answer.status, headers: answer.headers.map { ($0.name, $0.value) }, body: answer.body)
    }
}
