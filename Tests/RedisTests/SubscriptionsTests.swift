import Testing

@testable import Redis

@Suite struct SubscriptionsTests {
    private let a = RedisChannel(kind: .plain, name: "a")
    private let b = RedisChannel(kind: .sharded, name: "b")

    private func confirmation(_ word: String, _ channel: String) -> RedisValue {
        .array([.bulk(Array(word.utf8)), .bulk(Array(channel.utf8)), .integer(1)])
    }

    private func message(_ word: String, _ channel: String, _ text: String) -> RedisValue {
        .array([word, channel, text].map { .bulk(Array($0.utf8)) })
    }

    @Test func `channels are asked for on connecting and announced when all are heard`() {
        var subscriptions = Subscriptions()
        #expect(subscriptions.add(1, [a, b]) == [])
        #expect(subscriptions.connected() == [.send(["SUBSCRIBE", "a"]), .send(["SSUBSCRIBE", "b"])])
        #expect(subscriptions.received(confirmation("subscribe", "a")) == [])
        #expect(subscriptions.received(confirmation("ssubscribe", "b")) == [.yield(1, .subscribed)])
        #expect(
            subscriptions.received(message("smessage", "b", "x"))
                == [.yield(1, .message(channel: "b", payload: Array("x".utf8)))])
        #expect(subscriptions.received(message("message", "b", "x")) == [])
        subscriptions.disconnected()
        _ = subscriptions.connected()
        _ = subscriptions.received(confirmation("subscribe", "a"))
        #expect(subscriptions.received(confirmation("ssubscribe", "b")) == [.yield(1, .resubscribed)])
    }

    @Test func `a later listener of the same channel asks for nothing`() {
        var subscriptions = Subscriptions()
        _ = subscriptions.connected()
        #expect(subscriptions.add(1, [a]) == [.send(["SUBSCRIBE", "a"])])
        #expect(subscriptions.add(2, [a]) == [])
        #expect(
            subscriptions.received(confirmation("subscribe", "a")) == [.yield(1, .subscribed), .yield(2, .subscribed)])
        #expect(subscriptions.add(3, [a]) == [.yield(3, .subscribed)])
        #expect(subscriptions.remove(1) == [])
        #expect(subscriptions.remove(2) == [])
        #expect(subscriptions.remove(3) == [.send(["UNSUBSCRIBE", "a"])])
        #expect(subscriptions.isEmpty)
    }

    @Test func `left and wanted again, only the later confirmation counts`() {
        var subscriptions = Subscriptions()
        _ = subscriptions.connected()
        _ = subscriptions.add(1, [a])
        _ = subscriptions.remove(1)
        #expect(subscriptions.add(2, [a]) == [.send(["SUBSCRIBE", "a"])])
        #expect(subscriptions.received(confirmation("subscribe", "a")) == [])
        #expect(subscriptions.received(confirmation("unsubscribe", "a")) == [])
        #expect(subscriptions.received(confirmation("subscribe", "a")) == [.yield(2, .subscribed)])
    }

    @Test func `a refusal belongs to the oldest request`() {
        var subscriptions = Subscriptions()
        _ = subscriptions.connected()
        _ = subscriptions.add(1, [a, b])
        let error = RedisServerError("NOPERM no")
        #expect(subscriptions.received(.error(error)) == [.yield(1, .refused(channel: "a", error))])
        #expect(subscriptions.received(confirmation("ssubscribe", "b")) == [.yield(1, .subscribed)])
    }

    @Test func `a sharded channel that moved is asked for again`() {
        var subscriptions = Subscriptions()
        _ = subscriptions.connected()
        _ = subscriptions.add(1, [b])
        _ = subscriptions.received(confirmation("ssubscribe", "b"))
        #expect(subscriptions.received(confirmation("sunsubscribe", "b")) == [.send(["SSUBSCRIBE", "b"])])
        #expect(subscriptions.received(confirmation("ssubscribe", "b")) == [.yield(1, .resubscribed)])
    }

    @Test func `silence since the last ping is death`() {
        var subscriptions = Subscriptions()
        #expect(subscriptions.beat() == (true, []))
        _ = subscriptions.connected()
        #expect(subscriptions.beat() == (true, [.send(["PING"])]))
        #expect(subscriptions.received(.simple("PONG")) == [])
        #expect(subscriptions.beat() == (true, [.send(["PING"])]))
        #expect(subscriptions.beat() == (false, []))
    }

    @Test(arguments: [
        RedisValue.integer(1), .null, .array([]), .array([.bulk(Array("what".utf8)), .null]),
        .array([.bulk(Array("pong".utf8)), .bulk([])]), .simple("PONG"), .error(RedisServerError("ERR x")),
        .array(["subscribe", "z"].map { .bulk(Array($0.utf8)) }),
    ])
    func `what nobody asked for ends the trust`(value: RedisValue) {
        var subscriptions = Subscriptions()
        _ = subscriptions.connected()
        guard case .giveUp = subscriptions.received(value).first else {
            Issue.record("\(value) was accepted")
            return
        }
    }
}
