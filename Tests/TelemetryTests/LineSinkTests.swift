import Foundation
import Telemetry
import Testing

@Suite struct LineSinkTests {
    @Test func `each event is one line on the descriptor`() throws {
        let pipe = Pipe()
        let log = Log(to: LineSink(descriptor: pipe.fileHandleForWriting.fileDescriptor, style: .json), label: "x")
        log(.info, "first")
        log(.error, "second")
        try pipe.fileHandleForWriting.close()
        let lines = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 3)
        #expect(lines[0].contains("\"first\""))
        #expect(lines[1].contains("\"second\""))
    }

    @Test func `a line longer than a pipe holds arrives whole`() async throws {
        let pipe = Pipe()
        let long = String(repeating: "x", count: 300_000)
        let reading = Task.detached { pipe.fileHandleForReading.readDataToEndOfFile().count }
        Log(to: LineSink(descriptor: pipe.fileHandleForWriting.fileDescriptor), label: "x")(.info, long)
        try pipe.fileHandleForWriting.close()
        #expect(await reading.value > long.utf8.count)
    }
}
