import Refunds
import Testing

@Suite struct JobApplyingTests {
    private func apply(_ sets: [(String, String)], to text: String = Example.contract) throws -> Result<Job, Violations>
    {
        try Example.job(text).applying(sets: sets.map { ($0.0, $0.1) }, app: Example.production)
    }

    @Test func `an amount is changed, and the rest stays`() throws {
        let before = try Example.job(Example.contract)
        let after = try apply([("request.items.0.refundAmount", "2500")]).get()
        #expect(after.request.items.first?.refundAmount == 2500)
        #expect(after.id == before.id)
        #expect(after.contentDigest != before.contentDigest)
        #expect(after.note == before.note)
    }

    @Test func `brackets lead to the same place as dots`() throws {
        #expect(
            try apply([("request.items[0].refundAmount", "2500")]).get()
                == apply([("request.items.0.refundAmount", "2500")]).get())
    }

    @Test func `text stays text even if it looks like a number`() throws {
        #expect(try apply([("request.items.0.SKU", "4711")]).get().request.items.first?.sku == "4711")
        #expect(try apply([("note", "true")]).get().note == "true")
    }

    @Test func `several changes are checked together`() throws {
        let job = try apply([
            ("request.items.0.refundType", "FULL"), ("request.items.0.refundAmount", "null"), ("note", "null"),
            ("request.items.0.revoke", "false"),
        ]).get()
        #expect(job.request.items.first?.refundType == .full)
        #expect(job.request.items.first?.refundAmount == nil)
        #expect(job.request.items.first?.revoke == false)
        #expect(job.note == nil)
    }

    @Test func `a job without an id keeps the name of its first content`() throws {
        let before = try Example.job(Example.revoke)
        let after = try before.applying(sets: [("request.refundReason", "OTHER")], app: Example.production).get()
        #expect(after.id == before.id)
    }

    @Test(arguments: [
        ("id", "x", Violation.Code.notSettable), ("app", "x", .notSettable), ("operation", "cancel", .notSettable),
        ("transactionId", "1", .notSettable),
        ("request.requestInfo.requestReferenceId", "1f0c2a52-6b0e-4b6e-9d55-3a2f6f1f9a01", .notSettable),
        ("request.items.1.refundAmount", "1", .noSuchPath), ("request.item.0.refundAmount", "1", .noSuchPath),
        ("", "1", .noSuchPath), ("request..items", "1", .noSuchPath), ("note.x", "1", .noSuchPath),
        ("request.items.0.refundAmount", "2,50", .wrongType),
        ("request.items.0.refundAmount", "2500.0", .amountNotInteger),
        ("request.items.0.refundAmount", "-1", .amountNotPositive),
        ("request.items.0.refundAmout", "1", .unknownField),
        ("request.items.0", "null", .noItems),
        ("amountIncludesTax", "false", .taxMismatch),
    ])
    func `what may not be, or is no longer a job, is refused`(
        _ path: String, _ value: String, _ code: Violation.Code
    ) throws {
        #expect(try apply([(path, value)]).violations.map(\.code) == [code])
    }

    @Test func `a whole request can't smuggle another reference id in`() throws {
        let info = #"{"requestReferenceId":"1f0c2a52-6b0e-4b6e-9d55-3a2f6f1f9a01"}"#
        #expect(try apply([("request.requestInfo", info)]).violations.map(\.code) == [.notSettable])
    }

    @Test func `all changes that fail are named`() throws {
        #expect(
            try apply([("id", "x"), ("request.items.7.SKU", "y")]).violations.map(\.code) == [
                .notSettable, .noSuchPath,
            ])
    }

    @Test func `a refused consistency token is dropped and nothing else`() throws {
        let text = Example.contract.replacing(
            #""currency""#, with: #""requestInfo":{"consistencyToken":"stale","appAccountToken":""},"currency""#)
        let job = try Example.job(text)
        #expect(job.hasConsistencyToken)
        let without = try job.withoutConsistencyToken(app: Example.production).get()
        #expect(!without.hasConsistencyToken)
        #expect(without.request.requestInfo?.appAccountToken == "")
        #expect(without.request.items == job.request.items)
    }
}
