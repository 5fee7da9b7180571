import Testing

@testable import HTTP

@Suite struct TransportLogTests {
    private func tells(_ lines: String...) -> Bool {
        var log = TransportLog()
        return lines.map { log.tellsOfRefusal(in: Array(($0 + "\n").utf8)) }.contains(true)
    }

    @Test func `a refused stream is told of by libcurl's own word`() {
        #expect(tells("REFUSED_STREAM, retrying a fresh connect"))
        #expect(!tells("REFUSED_STREAM, retrying a fresh connection"))
        #expect(!tells("subject: CN=REFUSED_STREAM, retrying a fresh connect"))
    }

    @Test(arguments: ["Using Stream ID: 13 (easy handle 0x1)", "[HTTP/2] [13] OPENED stream for https://localhost/"])
    func `a GOAWAY refuses the streams above the one it names`(opening: String) {
        #expect(tells(opening, "recveived GOAWAY, error=0, last_stream=11"))
        #expect(tells(opening, "received GOAWAY, error=2, last_stream=0"))
        #expect(!tells(opening, "received GOAWAY, error=0, last_stream=13"))
        #expect(!tells(opening, "received GOAWAY, error=0, last_stream=2147483647"))
        #expect(!tells(opening, "received GOAWAY, error=0, last_stream="))
    }

    @Test func `a GOAWAY says nothing of a request whose stream isn't known`() {
        #expect(!tells("received GOAWAY, error=0, last_stream=0"))
    }
}
