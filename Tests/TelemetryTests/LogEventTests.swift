import Foundation
import Telemetry
import Testing

@Suite struct LogEventTests {
    private func event(_ message: String, _ fields: [(String, String)] = []) -> LogEvent {
        LogEvent(
            time: 1_796_036_400_123, level: .warning, label: "worker", message: message,
            fields: fields.map { .init(name: $0.0, value: $0.1) })
    }

    @Test func `the text line reads from time to fields`() {
        let line = event("lease lost", [("job", "case-4711"), ("why", "no beat"), ("empty", "")]).line(.text)
        #expect(line == #"2026-11-30T11:00:00.123Z warning worker: lease lost job=case-4711 why="no beat" empty="""#)
    }

    @Test(arguments: ["a\nb", "a\r\nb", "a\u{1B}[2Jb", "a\u{2028}b", "a\u{7F}b", "a\u{85}b"])
    func `no text breaks out of its line`(text: String) {
        for style in LogEvent.Style.allCases {
            let line = event(text, [("field", text)]).line(style)
            #expect(!line.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F || $0.value == 0x2028 })
            #expect(!line.unicodeScalars.contains { $0.value == 0x85 })
        }
    }

    @Test func `the JSON line is JSON, and a field can't hide the message`() throws {
        let line = event("said \"no\" \\ 🎧", [("app", "audio\tbooks"), ("message", "mine"), ("level", "x")]).line(.json)
        let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
        #expect(
            object == [
                "time": "2026-11-30T11:00:00.123Z", "level": "warning", "label": "worker",
                "message": "said \"no\" \\ 🎧", "app": "audio\tbooks", "field.message": "mine", "field.level": "x",
            ])
    }
}
