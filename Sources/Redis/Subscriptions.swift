/// Who listens to which channel, and what the server has confirmed: events in, actions out. No socket, no clock.
///
/// In RESP2 each request (`SUBSCRIBE` of one channel, `PING`) is answered by exactly one push or one error, in order,
/// with messages in between. An error doesn't name its channel, so each channel is asked for by a request of its own.
struct Subscriptions {
    typealias ListenerID = UInt64

    enum Action: Sendable, Hashable {
        case send([RedisWord])
        case yield(ListenerID, RedisMessage)
        /// What came makes no sense; the connection can't be trusted.
        case giveUp(String)
    }

    private enum Request: Hashable {
        case subscribe(RedisChannel)
        case unsubscribe(RedisChannel)
        case ping
    }

    private struct Listener {
        let channels: Set<RedisChannel>
        var unconfirmed: Set<RedisChannel>
        var wasSubscribed = false
    }

    private var listeners: [ListenerID: Listener] = [:]
    private var audience: [RedisChannel: Set<ListenerID>] = [:]
    /// Channels that the present connection has confirmed.
    private var confirmed: Set<RedisChannel> = []
    private var requests = FIFO<Request>()
    private var isConnected = false
    private var hasHeard = false
    private var isPinging = false

    var isEmpty: Bool { listeners.isEmpty }

    // MARK: Listeners

    mutating func add(_ id: ListenerID, _ channels: Set<RedisChannel>) -> [Action] {
        listeners[id] = Listener(channels: channels, unconfirmed: channels.subtracting(confirmed))
        var actions: [Action] = []
        for channel in channels.sorted() {
            let isFirst = audience[channel]?.isEmpty ?? true
            audience[channel, default: []].insert(id)
            if isFirst, isConnected { actions.append(subscribe(channel)) }
        }
        return actions + announce(id)
    }

    mutating func remove(_ id: ListenerID) -> [Action] {
        guard let listener = listeners.removeValue(forKey: id) else { return [] }
        var actions: [Action] = []
        for channel in listener.channels.sorted() {
            audience[channel]?.remove(id)
            guard audience[channel]?.isEmpty ?? false else { continue }
            audience[channel] = nil
            // From the request on no confirmation counts, so that a listener who comes now asks again.
            confirmed.remove(channel)
            if isConnected {
                requests.append(.unsubscribe(channel))
                actions.append(
                    .send([channel.kind == .plain ? "UNSUBSCRIBE" : "SUNSUBSCRIBE", RedisWord(channel.name)]))
            }
        }
        return actions
    }

    private mutating func subscribe(_ channel: RedisChannel) -> Action {
        requests.append(.subscribe(channel))
        return .send([channel.kind == .plain ? "SUBSCRIBE" : "SSUBSCRIBE", RedisWord(channel.name)])
    }

    private mutating func announce(_ id: ListenerID) -> [Action] {
        guard let listener = listeners[id], listener.unconfirmed.isEmpty, isConnected else { return [] }
        listeners[id]?.wasSubscribed = true
        return [.yield(id, listener.wasSubscribed ? .resubscribed : .subscribed)]
    }

    // MARK: The connection

    mutating func connected() -> [Action] {
        isConnected = true
        hasHeard = true
        isPinging = false
        return audience.keys.sorted().map { subscribe($0) }
    }

    mutating func disconnected() {
        isConnected = false
        confirmed = []
        requests = FIFO()
        for (id, listener) in listeners { listeners[id]?.unconfirmed = listener.channels }
    }

    /// A beat of the liveness timer: asks, or finds that nothing was heard since it asked. False when the connection
    /// is dead.
    mutating func beat() -> (isAlive: Bool, actions: [Action]) {
        guard isConnected else { return (true, []) }
        guard hasHeard || !isPinging else { return (false, []) }
        hasHeard = false
        isPinging = true
        requests.append(.ping)
        return (true, [.send(["PING"])])
    }

    mutating func received(_ value: RedisValue) -> [Action] {
        hasHeard = true
        switch value {
        case .simple: return answered([.ping])
        case .error(let error): return refused(error)
        case .array(let parts): return pushed(parts)
        case .null, .integer, .bulk: return [.giveUp("an answer that is no push")]
        }
    }

    private mutating func pushed(_ parts: [RedisValue]) -> [Action] {
        guard let word = parts.first?.string, parts.count >= 2 else { return [.giveUp("a push without a name")] }
        let name = parts[1].string ?? ""
        switch word {
        case "message", "smessage":
            guard parts.count == 3, let payload = parts[2].bytes else { return [.giveUp("a message without content")] }
            let channel = RedisChannel(kind: word == "message" ? .plain : .sharded, name: name)
            return (audience[channel] ?? []).sorted().map { .yield($0, .message(channel: name, payload: payload)) }
        case "pong": return answered([.ping])
        case "subscribe": return subscribed(RedisChannel(kind: .plain, name: name))
        case "ssubscribe": return subscribed(RedisChannel(kind: .sharded, name: name))
        case "unsubscribe": return unsubscribed(RedisChannel(kind: .plain, name: name))
        case "sunsubscribe": return unsubscribed(RedisChannel(kind: .sharded, name: name))
        default: return [.giveUp("an unknown push, \(word)")]
        }
    }

    /// Takes the request that was answered; it must be the oldest.
    private mutating func answered(_ expected: Set<Request>) -> [Action] {
        guard let request = requests.popFirst(), expected.contains(request) else {
            return [.giveUp("an answer out of order")]
        }
        return []
    }

    private mutating func subscribed(_ channel: RedisChannel) -> [Action] {
        let fault = answered([.subscribe(channel)])
        guard fault.isEmpty else { return fault }
        // Left and wanted again in the meantime: only the later confirmation lasts.
        guard !requests.contains(.unsubscribe(channel)) else { return [] }
        confirmed.insert(channel)
        return settled(channel)
    }

    private mutating func settled(_ channel: RedisChannel) -> [Action] {
        var actions: [Action] = []
        for id in (audience[channel] ?? []).sorted() where listeners[id]?.unconfirmed.remove(channel) != nil {
            actions += announce(id)
        }
        return actions
    }

    private mutating func unsubscribed(_ channel: RedisChannel) -> [Action] {
        if requests.first == .unsubscribe(channel) { return answered([.unsubscribe(channel)]) }
        // Not asked for: the slot of a sharded channel has moved. Ask again; here or where it went, we are heard.
        guard audience[channel] != nil else { return [] }
        confirmed.remove(channel)
        for id in audience[channel] ?? [] { listeners[id]?.unconfirmed.insert(channel) }
        return [subscribe(channel)]
    }

    private mutating func refused(_ error: RedisServerError) -> [Action] {
        guard let request = requests.popFirst() else { return [.giveUp("an error that nobody asked for")] }
        guard case .subscribe(let channel) = request else { return [] }
        let ids = (audience[channel] ?? []).sorted()
        return ids.map { .yield($0, .refused(channel: channel.name, error)) } + settled(channel)
    }
}

extension RedisChannel: Comparable {
    // An order, whichever, so that the same set always asks in the same order.
    static func < (left: RedisChannel, right: RedisChannel) -> Bool {
        (left.name, left.kind == .sharded ? 1 : 0) < (right.name, right.kind == .sharded ? 1 : 0)
    }
}
