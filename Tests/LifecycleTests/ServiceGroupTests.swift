import EventLoop
import Foundation
import Lifecycle
import TestSupport
import Testing

@Suite struct ServiceGroupTests {
    private struct Failure: Error, Equatable {}

    private enum Event: Sendable, Hashable {
        case started(String)
        case quiet(String)
        case ended(String)
        case gaveBack(String)
    }

    /// Runs until it is cancelled.
    private struct Server: StartingService {
        let name: String
        let events: EventRecorder<Event>
        var failsToStart = false

        func start() async throws {
            if failsToStart { throw Failure() }
            events.record(.started(name))
        }

        func run() async throws {
            try? await Task.sleep(for: .seconds(1000))
            events.record(.ended(name))
        }
    }

    /// Has work in hand until it is told that it is done.
    private struct Worker: DrainingService {
        let name: String
        let events: EventRecorder<Event>
        let done: AsyncStream<Void>
        let finish: AsyncStream<Void>.Continuation
        var endsWhenQuiet = true

        init(_ name: String, _ events: EventRecorder<Event>, endsWhenQuiet: Bool = true) {
            self.name = name
            self.events = events
            self.endsWhenQuiet = endsWhenQuiet
            (done, finish) = AsyncStream.makeStream()
        }

        func run() async throws {
            events.record(.started(name))
            for await _ in done {}
            events.record(Task.isCancelled ? .gaveBack(name) : .ended(name))
        }

        func quiet() async {
            events.record(.quiet(name))
            if endsWhenQuiet { finish.finish() }
        }
    }

    /// Ignores everything.
    private struct Deaf: Service {
        let gate: AsyncStream<Void>
        let finish: AsyncStream<Void>.Continuation

        init() { (gate, finish) = AsyncStream.makeStream() }

        func run() async throws {
            await Task { for await _ in gate {} }.value
        }
    }

    /// Waits in vain for what it needs.
    private struct Unreachable: StartingService {
        func start() async throws { try await Task.sleep(for: .seconds(1000)) }
        func run() async throws {}
    }

    @Test func `a signal drains in reverse order`() async throws {
        let events = EventRecorder<Event>()
        let (signals, signal) = AsyncStream<Int32>.makeStream()
        let group = ServiceGroup([Server(name: "redis", events: events), Worker("worker", events)])
        async let end = group.run(until: signals)
        try await events.contains(.started("worker"))
        signal.yield(SIGTERM)
        let result = try await end
        #expect(result == .drained(signal: SIGTERM))
        #expect(
            events.events == [
                .started("redis"), .started("worker"), .quiet("worker"), .ended("worker"), .ended("redis"),
            ])
    }

    @Test func `after the deadline the worker gives back`() async throws {
        let events = EventRecorder<Event>()
        let (signals, signal) = AsyncStream<Int32>.makeStream()
        let group = ServiceGroup(
            [Worker("worker", events, endsWhenQuiet: false)], options: .init(drainTime: .milliseconds(20)))
        async let end = group.run(until: signals)
        try await events.contains(.started("worker"))
        signal.yield(SIGINT)
        let result = try await end
        #expect(result == .drained(signal: SIGINT))
        #expect(events.events.suffix(2) == [.quiet("worker"), .gaveBack("worker")])
    }

    @Test func `a second signal waits for nobody`() async throws {
        let events = EventRecorder<Event>()
        let (signals, signal) = AsyncStream<Int32>.makeStream()
        let worker = Worker("worker", events, endsWhenQuiet: false)
        let group = ServiceGroup([worker], options: .init(drainTime: .seconds(1000)))
        async let end = group.run(until: signals)
        try await events.contains(.started("worker"))
        signal.yield(SIGTERM)
        try await events.contains(.quiet("worker"))
        signal.yield(SIGTERM)
        let result = try await end
        #expect(result == .atOnce(signal: SIGTERM))
        worker.finish.finish()
    }

    @Test func `a service that doesn't even give back is left behind`() async throws {
        let (signals, signal) = AsyncStream<Int32>.makeStream()
        let deaf = Deaf()
        let group = ServiceGroup(
            [deaf], options: .init(drainTime: .milliseconds(10), handBackTime: .milliseconds(10)))
        signal.yield(SIGTERM)
        let result = try await group.run(until: signals)
        #expect(result == .atOnce(signal: SIGTERM))
        deaf.finish.finish()
    }

    @Test func `a service that is done ends the group`() async throws {
        let events = EventRecorder<Event>()
        let (signals, _) = AsyncStream<Int32>.makeStream()
        let worker = Worker("worker", events)
        worker.finish.finish()
        let group = ServiceGroup([Server(name: "redis", events: events), worker])
        let end = try await group.run(until: signals)
        #expect(end == .drained(signal: nil))
        #expect(events.events.last == .ended("redis"))
    }

    @Test func `a service that can't start ends those that did, and its error is thrown`() async throws {
        let events = EventRecorder<Event>()
        let (signals, _) = AsyncStream<Int32>.makeStream()
        let group = ServiceGroup([
            Server(name: "redis", events: events),
            Server(name: "broken", events: events, failsToStart: true),
            Server(name: "never", events: events),
        ])
        await #expect(throws: Failure()) { try await group.run(until: signals) }
        #expect(events.events == [.started("redis"), .ended("redis")])
    }

    // SIGWINCH does nothing by default and is nobody else's in this process.
    @Test func `real signals: the first drains, the second ends at once`() async throws {
        let events = EventRecorder<Event>()
        let worker = Worker("worker", events, endsWhenQuiet: false)
        let group = ServiceGroup(
            [Server(name: "redis", events: events), worker], options: .init(drainTime: .seconds(1000)))
        let signals = await Signals.stream(of: [SIGWINCH], on: TestLoop.shared)
        async let end = group.run(until: signals)
        try await events.contains(.started("worker"))
        kill(getpid(), SIGWINCH)
        try await events.contains(.quiet("worker"))
        #expect(!events.events.contains(.ended("redis")))
        kill(getpid(), SIGWINCH)
        let result = try await end
        #expect(result == .atOnce(signal: SIGWINCH))
        worker.finish.finish()
    }

    @Test func `a signal during the start ends what has started and starts nothing more`() async throws {
        let events = EventRecorder<Event>()
        let (signals, signal) = AsyncStream<Int32>.makeStream()
        let group = ServiceGroup([
            Server(name: "redis", events: events), Unreachable(), Server(name: "never", events: events),
        ])
        async let end = group.run(until: signals)
        try await events.contains(.started("redis"))
        signal.yield(SIGTERM)
        let result = try await end
        #expect(result == .drained(signal: SIGTERM))
        #expect(events.events == [.started("redis"), .ended("redis")])
    }
}
