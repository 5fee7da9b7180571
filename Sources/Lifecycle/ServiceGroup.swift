/// Runs services as one: they start in order, end in reverse, and one that ends takes the others with it.
package actor ServiceGroup {
    package struct Options: Sendable {
        /// How long work that was taken may go on after the first wish to stop.
        package var drainTime: Duration
        /// How long giving back may take after that.
        package var handBackTime: Duration

        package init(drainTime: Duration = .seconds(20), handBackTime: Duration = .seconds(5)) {
            self.drainTime = drainTime
            self.handBackTime = handBackTime
        }
    }

    /// How a group came to its end when no service failed.
    package enum End: Sendable, Hashable {
        /// Everything ended in order, because of this signal or because a service was done.
        case drained(signal: Int32?)
        /// A second signal, or services that would not end: something still runs, and the process should exit now.
        case atOnce(signal: Int32?)
    }

    private enum Event: Sendable {
        case signal(Int32)
        case started(Int)
        case ended(Int, (any Error)?)
        case deadlinePassed
        case patienceEnded
    }

    private let services: [any Service]
    private let options: Options
    private var tasks: [Int: Task<Void, Never>] = [:]
    private var timers: [Task<Void, Never>] = []

    package init(_ services: [any Service], options: Options = Options()) {
        self.services = services
        self.options = options
    }

    /// Returns when every service has ended, and throws the first error of a service after all the others have ended.
    /// Call it once.
    ///
    /// - Parameter signals: each element is a wish to stop: the first drains, the second ends at once.
    package func run(until signals: AsyncStream<Int32>) async throws -> End {
        precondition(tasks.isEmpty, "a service group runs once")
        let (events, sender) = AsyncStream<Event>.makeStream()
        let listener = Task { for await signal in signals { sender.yield(.signal(signal)) } }
        defer {
            listener.cancel()
            for timer in timers { timer.cancel() }
        }
        var drain = Drain(canDrain: services.map { $0 is any DrainingService })
        var firstError: (any Error)?
        var signal: Int32?
        var actions = drain.begin()
        var iterator = events.makeAsyncIterator()
        while true {
            for action in actions {
                switch action {
                case .launch(let index): launch(index, sender)
                case .startDeadline: startTimer(options.drainTime, .deadlinePassed, sender)
                case .startPatience: startTimer(options.handBackTime, .patienceEnded, sender)
                case .quiet(let index): await (services[index] as? any DrainingService)?.quiet()
                case .cancel(let index): tasks[index]?.cancel()
                case .finish:
                    if let firstError { throw firstError }
                    return .drained(signal: signal)
                case .endAtOnce: return .atOnce(signal: signal)
                }
            }
            guard let event = await iterator.next() else { return .atOnce(signal: signal) }
            switch event {
            case .signal(let number):
                signal = number
                actions = drain.stopRequested()
            case .started(let index): actions = drain.started(index)
            case .ended(let index, let error):
                // A service that was told to give up may say so; that is no failure.
                if let error, !(error is CancellationError) { firstError = firstError ?? error }
                actions = drain.ended(index)
            case .deadlinePassed: actions = drain.deadlinePassed()
            case .patienceEnded: actions = drain.patienceEnded()
            }
        }
    }

    private func launch(_ index: Int, _ sender: AsyncStream<Event>.Continuation) {
        let service = services[index]
        // Away from this actor, or a service that computes for long would keep signals waiting.
        tasks[index] = Task { @concurrent in
            do {
                try await (service as? any StartingService)?.start()
                sender.yield(.started(index))
                try await service.run()
                sender.yield(.ended(index, nil))
            } catch {
                sender.yield(.ended(index, error))
            }
        }
    }

    private func startTimer(_ delay: Duration, _ event: Event, _ sender: AsyncStream<Event>.Continuation) {
        timers.append(
            Task {
                guard (try? await Task.sleep(for: delay)) != nil else { return }
                sender.yield(event)
            })
    }
}
