import Queue
import Refunds
import Testing

@testable import Fleet

@Suite struct `A judge of raw entries` {
    let judge = EntryJudge(AppRules(name: "audiobooks", environment: .production))

    func entry(_ fields: [[UInt8]], lane: Priority = .normal) -> RawEntry {
        RawEntry(priority: lane, entryId: "1-1", fields: fields)
    }

    func entry(job text: String) -> RawEntry { entry([Array("job".utf8), Array(text.utf8)]) }

    func content(_ judgement: Judgement) -> (name: String, hint: String, text: String)? {
        guard case .letter(_, _, let name, let hint, let text) = judgement else { return nil }
        return (name, hint, text)
    }

    @Test func `lets a valid job pass with its own text`() throws {
        let text = FleetWorld.job("case-1")
        guard case .job(let job, let kept) = judge.judge(entry(job: text)) else {
            Issue.record("not judged to be a job")
            return
        }
        #expect(job.id == "case-1")
        #expect(kept == Array(text.utf8))
    }

    @Test func `knows a reference that some lease read but could not finish`() {
        let judgement = judge.judge(entry([Array("id".utf8), Array("case-1".utf8)]))
        guard case .reference("case-1") = judgement else {
            Issue.record("not judged to be a reference")
            return
        }
    }

    @Test func `names every violation in the letter, and keeps the text`() throws {
        let text = FleetWorld.job("case 1").replacing("\"refundAmount\":4990", with: "\"refundAmout\":4990")
        let letter = try #require(content(judge.judge(entry(job: text))))
        #expect(letter.text == text)
        #expect(letter.hint.contains("id"))
        #expect(letter.hint.contains("refundAmount"))
    }

    @Test(arguments: [
        (Array("{\"id\": 1".utf8), "eyJpZCI6IDE="), ([0xFF, 0xFE], "//4="), ([], ""), (Array("[]".utf8), "W10="),
    ])
    func `keeps the bytes of what it can't read`(bytes: [UInt8], base64: String) throws {
        let letter = try #require(content(judge.judge(entry([Array("job".utf8), bytes]))))
        #expect(letter.text == "{\"raw\":\"\(base64)\"}")
    }

    @Test func `says how to add a job to an entry without one`() throws {
        let letter = try #require(content(judge.judge(entry([Array("jobs".utf8), Array("x".utf8)]))))
        #expect(letter.name == "noJob")
        #expect(letter.hint.contains("XADD"))
        #expect(letter.text == #"{"raw":"am9icwp4"}"#)
    }

    @Test func `refuses a megabyte, and keeps it`() throws {
        let text = FleetWorld.job("case-1").replacing(
            "\"app\"", with: "\"note\":\"\(String(repeating: "x", count: 1 << 20))\",\"app\"")
        let letter = try #require(content(judge.judge(entry(job: text))))
        #expect(letter.name == "jobTooLarge")
        #expect(letter.text.utf8.count > 1 << 20)
    }
}
