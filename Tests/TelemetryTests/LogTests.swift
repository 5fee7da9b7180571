import Telemetry
import Testing

@Suite struct LogTests {
    @Test func `an event carries its level, label, message and fields to the sink`() throws {
        let sink = RecordingSink()
        Log(to: sink, label: "worker")(.notice, "drained", ["app": "audiobooks", "jobs": "3"])
        let event = try #require(sink.events.first)
        #expect(event.level == .notice)
        #expect(event.label == "worker")
        #expect(event.message == "drained")
        #expect(event.fields.map(\.name) == ["app", "jobs"])
        #expect(event["jobs"] == "3")
    }

    @Test func `what lies below the level is not even made`() {
        let sink = RecordingSink()
        let log = Log(to: sink, level: .warning, label: "worker")
        func costly() -> String {
            Issue.record("the message was made for nothing")
            return ""
        }
        log(.info, costly(), ["text": costly()])
        Log.none(.error, costly())
        #expect(sink.events.isEmpty)
    }

    @Test func `a narrower log keeps what it carries and puts its own fields behind`() throws {
        let sink = RecordingSink()
        Log(to: sink, label: "fleet").carrying(["app": "games"]).labelled("reaper")(.info, "reclaimed", ["job": "a"])
        let event = try #require(sink.events.first)
        #expect(event.label == "reaper")
        #expect(event.fields == [.init(name: "app", value: "games"), .init(name: "job", value: "a")])
    }

    @Test func `levels rank from debug to error`() {
        #expect(Log.Level.allCases == Log.Level.allCases.sorted())
        #expect(Log.Level.debug < .error)
    }

    @Test func `neither a message nor a field lets a token out`() throws {
        let sink = RecordingSink()
        Log(to: sink, label: "http").carrying(["a": "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJ4In0.c2ln"])(
            .error, "sent eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJ4In0.c2ln", ["url": "redis://kulanz:hunter2@db/0"])
        let event = try #require(sink.events.first)
        #expect(event.message == "sent <redacted>")
        #expect(event["a"] == "<redacted>")
        #expect(event["url"] == "redis://kulanz:<redacted>@db/0")
    }
}
