import Foundation
import Telemetry
import Testing

@Suite struct SharedLogTests {
    /// What stands in a log after `body` has written to it.
    private func lines(
        _ style: LogEvent.Style, level: Log.Level = .info, _ body: (SharedLog) -> Void
    ) throws -> [String] {
        let file = URL.temporaryDirectory.appending(path: "kulanz-log-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let descriptor = open(file.path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { close(descriptor) }
        body(SharedLog(descriptor: descriptor, style: style, level: level, width: 8))
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    private func object(_ line: String) throws -> [String: String] {
        try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
    }

    @Test func `for people the name stands in front, aligned, and the line as it came`() throws {
        let lines = try lines(.text) { log in
            log.pass("2026-11-30T01:50:00.123Z info worker: sent job=a", from: "worker-1")
            log.pass("Fatal error: oh", from: "redis")
        }
        #expect(
            lines == ["worker-1 2026-11-30T01:50:00.123Z info worker: sent job=a", "redis    Fatal error: oh"])
    }

    @Test func `for collectors an event stays one object and gets the name`() throws {
        let event = LogEvent(
            time: 0, level: .info, label: "worker", message: "a \"quoted\" thing",
            fields: [.init(name: "job", value: "a")])
        let lines = try lines(.json) { $0.pass(event.line(.json), from: "worker-1") }
        #expect(lines.count == 1)
        let expected = [
            "process": "worker-1", "time": "1970-01-01T00:00:00.000Z", "level": "info", "label": "worker",
            "message": "a \"quoted\" thing", "job": "a",
        ]
        #expect(try object(lines[0]) == expected)
    }

    @Test(arguments: [
        "Fatal error: oh", "{\"time\":\"torn", "{\"time\":\"x\"} {\"time\":\"y\"}", "{\"id\":\"not ours\"}", "{}",
        "\u{1B}[2J",
    ])
    func `for collectors anything else becomes an event`(line: String) throws {
        let lines = try lines(.json) { $0.pass(line, from: "worker-1") }
        #expect(lines.count == 1)
        let object = try object(lines[0])
        #expect(object["process"] == "worker-1")
        #expect(object["level"] == "warning")
        #expect(object["message"] == line)
    }

    @Test(arguments: LogEvent.Style.allCases)
    func `the log of a name has its level and bears the name once`(style: LogEvent.Style) throws {
        let lines = try lines(style, level: .warning) { log in
            log.log(of: "up")(.info, "dropped")
            log.log(of: "up")(.warning, "kept")
        }
        #expect(lines.count == 1)
        #expect(lines[0].contains("kept"))
        #expect(style == .json ? lines[0].hasPrefix("{\"process\":\"up\",") : lines[0].hasPrefix("up       20"))
    }
}
