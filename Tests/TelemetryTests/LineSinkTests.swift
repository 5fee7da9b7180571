import Foundation
import Telemetry
import Testing

@Suite struct LineSinkTests {
    /// Reads so many lines from a descriptor, and not to its end: a process that another test starts meanwhile may
    /// hold a copy of the writing end for long.
    private static func lines(_ count: Int, from descriptor: Int32) -> [String] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count(where: { $0 == 0x0A }) < count {
            let length = read(descriptor, &chunk, chunk.count)
            guard length > 0 else { break }
            bytes += chunk[..<length]
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func withPipe(_ body: (_ reading: Int32, _ writing: Int32) async throws -> Void) async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        try await body(ends[0], ends[1])
    }

    @Test func `each event is one line on the descriptor`() async throws {
        try await withPipe { reading, writing in
            let log = Log(to: LineSink(descriptor: writing, style: .json), label: "x")
            log(.info, "first")
            log(.error, "second")
            let lines = Self.lines(2, from: reading)
            #expect(lines.count == 2)
            #expect(lines[0].contains("\"first\""))
            #expect(lines[1].contains("\"second\""))
        }
    }

    @Test func `a line longer than a pipe holds arrives whole`() async throws {
        try await withPipe { reading, writing in
            let long = String(repeating: "x", count: 300_000)
            let (arrived, sender) = AsyncStream<[String]>.makeStream()
            Thread.detachNewThread { sender.yield(Self.lines(1, from: reading)) }
            Log(to: LineSink(descriptor: writing), label: "x")(.info, long)
            var lines = arrived.makeAsyncIterator()
            #expect(await lines.next()?.first?.hasSuffix(long) == true)
        }
    }

    @Test func `a descriptor whose reader doesn't wait gets the line in pieces, but whole`() async throws {
        try await withPipe { reading, writing in
            #expect(fcntl(writing, F_SETFL, O_NONBLOCK) == 0)
            let long = String(repeating: "y", count: 200_000)
            let (arrived, sender) = AsyncStream<[String]>.makeStream()
            Thread.detachNewThread { sender.yield(Self.lines(1, from: reading)) }
            Log(to: LineSink(descriptor: writing), label: "x")(.info, long)
            var lines = arrived.makeAsyncIterator()
            #expect(await lines.next()?.first?.hasSuffix(long) == true)
        }
    }
}
