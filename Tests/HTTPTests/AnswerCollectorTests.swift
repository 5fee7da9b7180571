import Testing

@testable import HTTP

@Suite struct AnswerCollectorTests {
    private func collect(_ lines: [String], body: String = "", isHead: Bool = false) -> AnswerCollector {
        var collector = AnswerCollector(maxBytes: 1000, isHead: isHead)
        for line in lines { _ = collector.takeLine(Array((line + "\r\n").utf8)) }
        _ = collector.takeBody(Array(body.utf8))
        return collector
    }

    @Test func `fields keep their order and their doubles`() {
        let answer = collect(["HTTP/2 429 ", "Retry-After: 1", "a:b", "RETRY-AFTER:\t2 ", ""], body: "x").response
        #expect(answer.status == 429)
        #expect(answer.version == "2")
        #expect(answer.headers.map(\.name) == ["retry-after", "a", "retry-after"])
        #expect(answer.values(of: "Retry-After") == ["1", "2"])
        #expect(answer.body == [0x78])
    }

    @Test func `an informational head is forgotten`() {
        let collector = collect(["HTTP/1.1 100 Continue", "A: 1", "", "HTTP/1.1 200 OK", "B: 2", ""])
        #expect(collector.response.headers.map(\.name) == ["b"])
        #expect(collector.isHeadWhole)
    }

    @Test(arguments: [[], ["HTTP/1.1 200 OK"], ["HTTP/1.1 200 OK", "A: b"], ["HTTP/1.1 100 Continue", ""]])
    func `a head without its end is not whole`(lines: [String]) {
        #expect(!collect(lines).isHeadWhole)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK", "A: b", false, true), ("HTTP/1.1 200 OK", "content-LENGTH: 3", false, false),
        ("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", false, false), ("HTTP/2 200", "A: b", false, false),
        ("HTTP/1.1 204 No", "A: b", false, false), ("HTTP/1.1 304 No", "A: b", false, false),
        ("HTTP/1.0 200 OK", "A: b", true, false),
    ])
    func `only HTTP/1 without a length ends by its connection`(
        status: String, field: String, isHead: Bool, ends: Bool
    ) {
        #expect(collect([status, field, ""], isHead: isHead).response.endedByClose == ends)
    }

    @Test func `head and body together may not grow beyond the limit`() {
        var collector = AnswerCollector(maxBytes: 40)
        let fits = [
            collector.takeLine(Array("HTTP/1.1 200 OK\r\n".utf8)), collector.takeBody(Array(repeating: 0, count: 23)),
            collector.takeBody([0]), collector.takeBody([]),
        ]
        #expect(fits == [true, true, false, false])
        #expect(collector.isTooLarge)
    }
}
