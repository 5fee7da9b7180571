import Testing

@testable import Redis

@Suite struct RESPTests {
    private static func text(_ words: RedisWord...) -> String { String(decoding: RESP.encoded(words), as: UTF8.self) }

    @Test func `a command is an array of its words, each with its length in bytes`() {
        #expect(Self.text("PING") == "*1\r\n$4\r\nPING\r\n")
        #expect(Self.text("SET", "ключ", "") == "*3\r\n$3\r\nSET\r\n$8\r\nключ\r\n$0\r\n\r\n")
    }

    @Test(arguments: [1, 9, 10, 11, 99, 100, 999, 1000, 65_536]) func `lengths are written in full`(_ count: Int) {
        let words = [RedisWord](
            repeating: RedisWord([UInt8](repeating: 65, count: count)), count: count < 1000 ? count : 1)
        let text = String(decoding: RESP.encoded(words), as: UTF8.self)
        #expect(text.hasPrefix("*\(words.count)\r\n$\(count)\r\nA"))
    }

    private static func bulk(_ text: String) -> RedisValue { .bulk(Array(text.utf8)) }

    private static let replies: [(String, RedisValue)] = [
        (":-7\r\n", .integer(-7)), ("+OK\r\n", .simple("OK")), ("$-1\r\n", .null), ("*-1\r\n", .null),
        ("$0\r\n\r\n", .bulk([])), ("*0\r\n", .array([])), ("-OOM full\r\n", .error(RedisServerError("OOM full"))),
        ("$4\r\na\r\nb\r\n", bulk("a\r\nb")),
        ("*3\r\n*0\r\n$-1\r\n*1\r\n+a\r\n", .array([.array([]), .null, .array([.simple("a")])])),
        (
            "*2\r\n*2\r\n:1\r\n-ERR x\r\n$1\r\nz\r\n",
            .array([.array([.integer(1), .error(RedisServerError("ERR x"))]), bulk("z")])
        ),
    ]

    @Test func `replies are read one after another, wherever the stream is cut`() throws {
        let stream = Array(Self.replies.map(\.0).joined().utf8)
        for size in 1...stream.count {
            let reader = ReplyReader()
            var values: [RedisValue] = []
            for start in stride(from: 0, to: stream.count, by: size) {
                stream[start..<min(start + size, stream.count)].withUnsafeBytes { reader.feed($0) }
                while let value = try reader.next() { values.append(value) }
            }
            #expect(values == Self.replies.map(\.1))
        }
    }

    @Test(arguments: ["?\r\n", "*2\r\n:1\r\n?\r\n", String(repeating: "*1\r\n", count: 9) + ":1\r\n", "*1\r\n$x\r\n"])
    func `what is no reply is an error, and what was begun is forgotten`(_ text: String) {
        let reader = ReplyReader()
        Array(text.utf8).withUnsafeBytes { reader.feed($0) }
        #expect(throws: RedisError.self) { try reader.next() }
    }

    @Test func `an array is announced, not believed`() throws {
        let reader = ReplyReader()
        Array("*2000000000\r\n:1\r\n".utf8).withUnsafeBytes { reader.feed($0) }
        #expect(try reader.next() == nil)
    }
}
