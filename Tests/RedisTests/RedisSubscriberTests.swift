import EventLoop
import Foundation
import Redis
import Telemetry
import TestSupport
import Testing

@Suite struct RedisSubscriberTests {
    private func withSubscriber(
        _ body: (TestRedis, RedisSubscriber) async throws -> Void
    ) async throws {
        try await withRedis { redis in
            let subscriber = RedisSubscriber(loop: redis.loop, endpoint: redis.endpoint)
            try await body(redis, subscriber)
            await subscriber.close()
        }
    }

    private func ring(_ channel: String, _ text: String) -> RedisMessage {
        .message(channel: channel, payload: Array(text.utf8))
    }

    @Test func `plain, sharded and keyspace channels are heard`() async throws {
        try await withSubscriber { redis, subscriber in
            let heard = EventRecorder<RedisMessage>()
            let lane = "__keyspace@0__:{app}:jobs:normal"
            let following = heard.follow(
                await subscriber.messages(channels: ["plain", lane], sharded: ["{app}:bell"]))
            try await heard.contains(.subscribed)
            try await redis.send("PUBLISH", "plain", "1")
            try await redis.send("SPUBLISH", "{app}:bell", "2")
            try await redis.send("XADD", "{app}:jobs:normal", "*", "job", "x")
            try await redis.send("PUBLISH", "{app}:bell", "the plain channel of the same name")
            try await redis.send("PUBLISH", "plain", "last")
            try await heard.contains(ring("plain", "last"))
            // Within one connection to the server order is kept.
            #expect(
                heard.events == [
                    .subscribed, ring("plain", "1"), ring("{app}:bell", "2"), ring(lane, "xadd"), ring("plain", "last"),
                ])
            following.cancel()
        }
    }

    @Test func `a killed subscription comes back and says so`() async throws {
        try await withSubscriber { redis, subscriber in
            let heard = EventRecorder<RedisMessage>()
            let following = heard.follow(await subscriber.messages(channels: ["a"], sharded: ["b"]))
            try await heard.contains(.subscribed)
            for round in 1...3 {
                try await redis.send("CLIENT", "KILL", "TYPE", "pubsub")
                try await heard.events { $0.filter { $0 == .resubscribed }.count == round }
                try await redis.send("PUBLISH", "a", RedisWord("a\(round)"))
                try await redis.send("SPUBLISH", "b", RedisWord("b\(round)"))
                try await heard.contains(ring("a", "a\(round)"))
                try await heard.contains(ring("b", "b\(round)"))
            }
            following.cancel()
        }
    }

    @Test func `a restarted server is subscribed to again`() async throws {
        try await withSubscriber { redis, subscriber in
            let heard = EventRecorder<RedisMessage>()
            let following = heard.follow(await subscriber.messages(channels: ["a"]))
            try await heard.contains(.subscribed)
            await redis.server.kill9()
            try await redis.server.start()
            try await heard.contains(.resubscribed)
            try await redis.send("PUBLISH", "a", "hello")
            try await heard.contains(ring("a", "hello"))
            following.cancel()
        }
    }

    @Test func `two listeners share a channel, and it is left with the last of them`() async throws {
        try await withSubscriber { redis, subscriber in
            let (first, second) = (EventRecorder<RedisMessage>(), EventRecorder<RedisMessage>())
            let one = first.follow(await subscriber.messages(channels: ["a", "b"]))
            try await first.contains(.subscribed)
            let two = second.follow(await subscriber.messages(channels: ["a"]))
            try await second.contains(.subscribed)
            try await redis.send("PUBLISH", "a", "both")
            try await first.contains(ring("a", "both"))
            try await second.contains(ring("a", "both"))
            one.cancel()
            // No event tells that a channel was left, but PUBLISH counts who hears it.
            while try await redis.send("PUBLISH", "b", "") != .integer(0) {}
            #expect(try await redis.send("PUBLISH", "a", "still") == .integer(1))
            try await second.contains(ring("a", "still"))
            two.cancel()
            while try await redis.send("PUBLISH", "a", "") != .integer(0) {}
        }
    }

    @Test func `a forbidden channel is named and the others are heard`() async throws {
        try await withSubscriber { redis, _ in
            try await redis.send("ACL", "SETUSER", "anna", "on", "nopass", "+@all", "~*", "&allowed")
            var endpoint = redis.endpoint
            (endpoint.username, endpoint.password) = ("anna", .init("any"))
            let subscriber = RedisSubscriber(loop: redis.loop, endpoint: endpoint)
            let heard = EventRecorder<RedisMessage>()
            let following = heard.follow(await subscriber.messages(channels: ["allowed", "forbidden"]))
            let events = try await heard.events { $0.contains(.subscribed) }
            guard case .refused("forbidden", let error) = events.first else {
                Issue.record("not refused: \(events)")
                return
            }
            #expect(error.kind == .noPerm)
            try await redis.send("PUBLISH", "allowed", "x")
            try await heard.contains(ring("allowed", "x"))
            following.cancel()
            await subscriber.close()
        }
    }

    @Test func `a connection that is dead but silent is found by its ping`() async throws {
        let subscribed: [ScriptedServer.Step] = [
            .greet, .expect("SUBSCRIBE"), .say("*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n"),
        ]
        try await withScriptedServer([subscribed + [.expect("PING"), .hang], subscribed + [.hang]]) { server, path in
            let subscriber = RedisSubscriber(
                loop: TestLoop.shared, endpoint: .unix(path), beatPeriod: .milliseconds(50))
            let heard = EventRecorder<RedisMessage>()
            let following = heard.follow(await subscriber.messages(channels: ["a"]))
            try await server.events.contains(.expected(0, "PING"))
            try await server.events.contains(.hungUp(0))
            try await heard.contains(.resubscribed)
            following.cancel()
            await subscriber.close()
        }
    }

    @Test func `a connection whose pings are answered stays`() async throws {
        let pong = "*2\r\n$4\r\npong\r\n$0\r\n\r\n"
        let pings = [[ScriptedServer.Step]](repeating: [.expect("PING"), .say(pong)], count: 2).flatMap { $0 }
        try await withScriptedServer([
            [.greet, .expect("SUBSCRIBE"), .say("*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n")] + pings + [
                .say("*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$4\r\nring\r\n"), .hang,
            ]
        ]) { server, path in
            let subscriber = RedisSubscriber(
                loop: TestLoop.shared, endpoint: .unix(path), beatPeriod: .seconds(1))
            let heard = EventRecorder<RedisMessage>()
            let following = heard.follow(await subscriber.messages(channels: ["a"]))
            try await heard.contains(ring("a", "ring"))
            #expect(heard.events == [.subscribed, ring("a", "ring")])
            following.cancel()
            await subscriber.close()
        }
    }

    @Test func `a blocking read waits on the server and wakes with the entry`() async throws {
        try await withSubscriber { redis, subscriber in
            let read = Task {
                try await subscriber.blockingRead(
                    ["XREAD", "BLOCK", "60000", "STREAMS", "s", "0"], blocking: .seconds(60))
            }
            while try await redis.send("INFO", "clients").string?.contains("blocked_clients:1") != true {}
            try await redis.send("XADD", "s", "1-1", "job", "x")
            let value = try await read.value
            #expect(value.array?.first?.array?.first?.string == "s")
            let nothing = try await subscriber.blockingRead(
                ["XREAD", "BLOCK", "10", "STREAMS", "s", "$"], blocking: .milliseconds(10))
            #expect(nothing == .null)
        }
    }

    @Test func `cancelling a blocking read frees the server too`() async throws {
        try await withSubscriber { redis, subscriber in
            let read = Task {
                try await subscriber.blockingRead(
                    ["XREAD", "BLOCK", "60000", "STREAMS", "s", "$"], blocking: .seconds(60))
            }
            while try await redis.send("INFO", "clients").string?.contains("blocked_clients:1") != true {}
            read.cancel()
            await #expect(throws: RedisError.cancelled(mayHaveRun: true)) { try await read.value }
            while try await redis.send("INFO", "clients").string?.contains("blocked_clients:0") != true {}
        }
    }

    @Test func `closing ends streams and reads`() async throws {
        try await withRedis { redis in
            let subscriber = RedisSubscriber(loop: redis.loop, endpoint: redis.endpoint)
            let messages = await subscriber.messages(channels: ["a"])
            let read = Task {
                try await subscriber.blockingRead(
                    ["XREAD", "BLOCK", "60000", "STREAMS", "s", "$"], blocking: .seconds(60))
            }
            while try await redis.send("INFO", "clients").string?.contains("blocked_clients:1") != true {}
            await subscriber.close()
            await #expect(throws: RedisError.closed(mayHaveRun: true)) { try await read.value }
            for await message in messages { #expect(message == .subscribed) }
        }
    }
}
