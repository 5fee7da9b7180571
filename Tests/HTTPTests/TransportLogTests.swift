import Testing

@testable import HTTP

@Suite struct TransportLogTests {
    private func words(_ lines: String...) -> [TransportLog.Word] {
        var log = TransportLog()
        return lines.compactMap { log.read(Array(($0 + "\n").utf8)) }
    }

    @Test func `a refused stream is told of by libcurl's own word`() {
        #expect(words("REFUSED_STREAM, retrying a fresh connect") == [.refused])
        #expect(words("REFUSED_STREAM, retrying a fresh connection").isEmpty)
        #expect(words("subject: CN=REFUSED_STREAM, retrying a fresh connect").isEmpty)
    }

    @Test(arguments: ["recveived GOAWAY, error=0, last_stream=", "received GOAWAY, error=2, last_stream="])
    func `a GOAWAY names the last stream that stands`(word: String) {
        for last in [0, 11, 2_147_483_647] { #expect(words(word + "\(last)") == [.goAway(last: UInt64(last))]) }
        #expect(words(word).isEmpty)
        #expect(words("subject: CN=" + word + "0").isEmpty)
    }

    @Test(arguments: ["Using Stream ID: 13 (easy handle 0x1)", "[HTTP/2] [13] OPENED stream for https://localhost/"])
    func `a request's stream is known from its beginning`(opening: String) {
        var log = TransportLog()
        #expect(log.stream == nil)
        #expect(log.read(Array(opening.utf8)) == nil)
        #expect(log.stream == 13)
    }
}
