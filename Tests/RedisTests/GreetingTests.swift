import Telemetry
import Testing

@testable import Redis

@Suite struct GreetingTests {
    private let endpoint = RedisEndpoint(
        .unix(path: "/r"), username: "anna", password: Secret("s3cret"), database: 2)
    private let info = RedisValue.bulk(Array("# Server\r\nredis_version:7.0.15\r\nrun_id:abc123\r\n".utf8))

    @Test func `login, database, name, run id and a ping, in this order`() {
        let greeting = Greeting(to: endpoint, name: "n")
        let expected: [[RedisWord]] = [
            ["AUTH", "anna", "s3cret"], ["SELECT", "2"], ["CLIENT", "SETNAME", "n"], ["INFO", "server"], ["PING"],
        ]
        #expect(greeting.bytes == expected.flatMap { RESP.encoded($0) })
    }

    @Test func `a password without a user is sent alone, and what isn't needed isn't said`() {
        #expect(
            Greeting(to: .init(.unix(path: "/r"), password: Secret("p")), name: "n").bytes.starts(
                with: RESP.encoded(["AUTH", "p"])))
        #expect(
            Greeting(to: .unix("/r"), name: "n").bytes.starts(with: RESP.encoded(["CLIENT", "SETNAME", "n"])))
    }

    @Test func `a user without a password is named all the same`() {
        #expect(
            Greeting(to: .init(.unix(path: "/r"), username: "anna"), name: "n").bytes.starts(
                with: RESP.encoded(["AUTH", "anna", ""])))
    }

    @Test func `the last answer gives the run id`() {
        var greeting = Greeting(to: .unix("/r"), name: "n")
        #expect(greeting.reply(.simple("OK")) == .unfinished)
        #expect(greeting.reply(info) == .unfinished)
        #expect(greeting.reply(.simple("PONG")) == .done(runId: "abc123"))
    }

    @Test func `a user without rights to name or INFO is welcome`() {
        var greeting = Greeting(to: .unix("/r"), name: "n")
        let no = RedisValue.error(RedisServerError("NOPERM this user has no permissions"))
        #expect(greeting.reply(no) == .unfinished)
        #expect(greeting.reply(no) == .unfinished)
        #expect(greeting.reply(no) == .done(runId: nil))
    }

    @Test(arguments: ["WRONGPASS x", "NOAUTH x", "LOADING x", "ERR max number of clients reached"])
    func `any other error refuses`(text: String) {
        var greeting = Greeting(to: .unix("/r"), name: "n")
        #expect(greeting.reply(.error(RedisServerError(text))) == .refused(RedisServerError(text)))
    }
}
