import EventLoop
import Telemetry

/// The connection of one owner, made anew as often as the owner asks: looked up, connected, private, greeted, all within
/// the connect deadline. Confined to the owner's loop; tells its story through `onEvent`, and to the log.
final class RedisConnection {
    private let loop: EventLoop
    private let endpoint: RedisEndpoint
    private let options: RedisClient.Options
    private let log: Log
    private let purpose: String
    private let onEvent: (RedisLink.Event) -> Void
    private var complaints = Complaints()
    private var link: RedisLink?
    private var attempt: UInt64 = 0
    private var timer: LoopTimer?

    /// - Parameter purpose: what the log calls it, with a blank before: " for bells".
    init(
        _ loop: EventLoop, to endpoint: RedisEndpoint, _ options: RedisClient.Options, purpose: String = "", log: Log,
        _ onEvent: @escaping (RedisLink.Event) -> Void
    ) {
        self.loop = loop
        self.endpoint = endpoint
        self.options = options
        self.purpose = purpose
        self.log = log
        self.onEvent = onEvent
    }

    /// How many bytes the server's side has taken since the greeting.
    var written: UInt64 { link?.written ?? 0 }

    func write(_ bytes: [UInt8]) { link?.write(bytes) }
    func flush() { link?.flush() }

    /// Makes one attempt; `.ready` or `.down` follows. After `.down` the owner still reads `written`, then closes.
    func open(isolation: isolated any Actor = #isolation) {
        attempt += 1
        let current = attempt
        let timeout = options.connectTimeout
        timer = loop.after(timeout) { [weak self] in
            guard let self, attempt == current else { return }
            happened(.down(link?.silence(of: timeout) ?? .refused("\(endpoint): no answer within \(timeout)")))
        }
        Task {
            _ = isolation
            let route = await endpoint.route()
            guard attempt == current else { return }
            switch route {
            case .success(let route): follow(route)
            case .failure(let fault): happened(.down(fault))
            }
        }
    }

    private func follow(_ route: Route) {
        let link = RedisLink(loop, to: endpoint, by: route, name: options.name) { [weak self] in self?.happened($0) }
        self.link = link
        link.open()
    }

    private func happened(_ event: RedisLink.Event) {
        switch event {
        case .ready(let runId):
            timer = nil
            complaints.forget()
            log(.info, "Redis is connected\(purpose)", ["redis": "\(endpoint)", "runId": runId ?? "unknown"])
        case .reply: break
        case .down(let fault): complain(of: fault)
        }
        onEvent(event)
    }

    private func complain(of fault: Conversation.Fault) {
        let reason: String
        switch fault {
        case .refused(let why), .garbage(let why): reason = why
        case .insecure(let error): reason = "\(endpoint): \(error)"
        case .rejected(let error): reason = "\(endpoint): \(error)"
        case .lost: return
        }
        guard let count = complaints.another(reason) else { return }
        log(.warning, "No connection to Redis\(purpose)", ["reason": reason, "tries": "\(count)"])
    }

    /// Ends what there is, without an event.
    func close() {
        attempt += 1
        timer = nil
        link?.close()
        link = nil
    }
}
