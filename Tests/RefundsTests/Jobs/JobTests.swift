import Foundation
import Refunds
import Testing

@Suite struct JobTests {
    // MARK: Content and ids, against values that Python's hashlib, json and uuid made

    @Test func `the content digest is what another language computes`() throws {
        let job = try Example.job(Example.contract)
        #expect(job.contentDigest == "d1cd1156222f170b0a250fc19a2b00fdde759d73edf779d27f0808d553fde3d1")
        let escaped = Example.contract.replacing("audiobook.4711", with: #"h\u00f6hle\/\u2028\ud83d\ude42\\\""#)
        #expect(
            try Example.job(escaped).contentDigest
                == "bf83da2077223e1a86b82e67b44a32f78c8b27cbe5440787f0f3638a55b8c3da")
    }

    @Test func `a job without an id is named after its content`() throws {
        #expect(try Example.job(Example.revoke).id == "auto-2c715a0a3ac088d33a03a891fc3ddd22")
        #expect(try Example.job(Example.cancel).id == "auto-c23cfdb59f677651a3e5d02657b3942e")
    }

    @Test func `only app, operation, request and transaction make the content`() throws {
        let job = try Example.job(Example.contract)
        let other = try Example.job(
            Example.contract.replacing("agent-17", with: "agent-18").replacing("case-4711", with: "case-4712")
                .replacing(#""note""#, with: #""priority":"urgent","notBefore":1796036400000,"note""#))
        #expect(job.contentDigest == other.contentDigest)
        let dearer = try Example.job(Example.contract.replacing("4990", with: "5000"))
        #expect(job.contentDigest != dearer.contentDigest)
    }

    @Test func `followers of a subscription share its line`() throws {
        #expect(try Example.job(Example.contract).line == "2000000123456789")
        let follower = Example.contract.replacing(#""note""#, with: #""originalTransactionId":"1000","note""#)
        #expect(try Example.job(follower).line == "1000")
    }

    @Test func `the producer's own reference id serves the first round only`() throws {
        let given = "1F0C2A52-6B0E-4B6E-9D55-3A2F6F1F9A01"
        let job = try Example.job(
            Example.contract.replacing(
                #""currency""#, with: #""requestInfo":{"requestReferenceId":"\#(given)"},"currency""#)
        )
        #expect(job.referenceId(round: 0, environment: .production).text == given.lowercased())
        #expect(job.referenceId(round: 1, environment: .production).text != given.lowercased())
        #expect(
            job.referenceId(round: 1, environment: .production) == job.referenceId(round: 1, environment: .production))
    }

    // MARK: Bodies

    @Test func `the body is one line with its members in a fixed order`() throws {
        let job = try Example.job(Example.contract)
        let body = job.body(referenceId: job.referenceId(round: 0, environment: .production))
        #expect(
            String(decoding: body, as: UTF8.self)
                == #"{"requestInfo":{"requestReferenceId":"e638f833-e189-5e80-b769-e0149028c168"},"#
                + #""items":[{"SKU":"audiobook.4711","refundReason":"FULFILLMENT_ISSUE","refundType":"CUSTOM","#
                + #""refundAmount":4990,"revoke":true}],"refundRiskingPreference":false,"#
                + #""currency":"EUR","storefront":"DEU"}"#)
    }

    @Test func `the order in which a producer writes leaves no trace in the body`() throws {
        let shuffled = """
            {"note":"chapter 9 was silent","request":{"storefront":"DEU","currency":"EUR","refundRiskingPreference":false,
             "items":[{"revoke":true,"refundAmount":4990,"refundType":"CUSTOM","refundReason":"FULFILLMENT_ISSUE",
             "SKU":"audiobook.4711"}]},"transactionId":"2000000123456789","operation":"refund","app":"audiobooks",
             "amountIncludesTax":true,"requestedBy":"agent-17","id":"case-4711"}
            """
        let one = try Example.job(Example.contract)
        let other = try Example.job(shuffled)
        #expect(one == other)
        let referenceId = one.referenceId(round: 3, environment: .sandbox)
        #expect(one.body(referenceId: referenceId) == other.body(referenceId: referenceId))
    }

    // MARK: Stored jobs

    static let storable = [
        Example.contract, Example.revoke, Example.cancel,
        Example.cancel.replacing(#""storefront":"USA""#, with: #""requestInfo":{}"#),
        Example.contract.replacing(
            #""currency""#,
            with: #""requestInfo":{"requestReferenceId":"1F0C2A52-6B0E-4B6E-9D55-3A2F6F1F9A01"},"currency""#),
        Example.contract.replacing(
            #""currency""#,
            with: #""requestInfo":{"appAccountToken":"","consistencyToken":"c/\u0001"},"currency""#),
        Example.contract.replacing(#""note""#, with: #""priority":"bulk","notBefore":0,"allowRepeat":true,"note""#),
        Example.contract.replacing("chapter 9 was silent", with: #"\u0001\"\\ 🙂 \u2028"#),
    ]

    @Test(arguments: storable)
    func `what is stored gives the same job back, in any round`(_ text: String) throws {
        let job = try Example.job(text)
        for round in 0..<3 {
            let referenceId = job.referenceId(round: round, environment: .production)
            let body = job.body(referenceId: referenceId)
            for stored in [body, job.bodyLessReference] {
                let restored = try Job(job.particulars, envelope: job.envelope, body: stored)
                #expect(restored == job)
                #expect(restored.json == job.json)
                #expect(restored.contentDigest == job.contentDigest)
                #expect(restored.body(referenceId: referenceId) == body)
            }
            #expect(ReferenceId(body: body) == referenceId)
            if job.envelope != "" { #expect(try JSON(reading: job.envelope).canonicalText == job.envelope) }
            for field in ["id", "app", "operation", "transactionId", "priority", "requestedBy", "request"] {
                #expect(!job.envelope.contains("\"\(field)\":"), "\(field) is stored twice")
            }
        }
    }

    @Test(arguments: storable)
    func `a job that is shown can be enqueued again as the same job`(_ text: String) throws {
        let job = try Example.job(text)
        #expect(try Example.job(job.json.text, Example.sandbox) == job)
    }

    @Test func `the job that people see has the producer's reference id and never ours`() throws {
        let given = "1f0c2a52-6b0e-4b6e-9d55-3a2f6f1f9a01"
        let plain = try Example.job(Example.contract)
        func shown(_ job: Job, round: Int) throws -> JSON? {
            let body = job.body(referenceId: job.referenceId(round: round, environment: .production))
            return try Job(job.particulars, envelope: job.envelope, body: body).json["request"]?["requestInfo"]
        }
        #expect(try shown(plain, round: 0) == nil)
        let shown = try shown(try Example.job(Self.storable[4]), round: 1)
        #expect(shown?["requestReferenceId"]?.string == given.uppercased())
    }

    @Test func `random jobs survive storing`() throws {
        var random = SplitMix(seed: 11)
        for _ in 0..<500 {
            let text = Example.random(&random).text
            let job = try Example.job(text, Example.sandbox)
            let referenceId = job.referenceId(round: Int.random(in: 0..<4, using: &random), environment: .sandbox)
            for body in [job.body(referenceId: referenceId), job.bodyLessReference] {
                #expect(try Job(job.particulars, envelope: job.envelope, body: body) == job, "\(text)")
            }
        }
    }

    @Test(arguments: [
        ("", "{}"), ("{}", ""), ("[]", "{}"), ("{}", "{}"), (#"{"note":"a","note":"b"}"#, "{}"),
    ])
    func `what is no stored job is refused`(_ envelope: String, _ body: String) throws {
        let particulars = try Example.job(Example.contract).particulars
        #expect(throws: StoredJobError.self) { try Job(particulars, envelope: envelope, body: Array(body.utf8)) }
    }

    // MARK: Apple's own models

    private static let models = URL(filePath: #filePath)
        .deletingLastPathComponent().appending(path: "../../../../shared/vectors/apple/models").standardizedFileURL

    private static var hasModels: Bool { FileManager.default.fileExists(atPath: models.path()) }

    private static func model(_ name: String) throws -> String {
        try String(contentsOf: models.appending(path: name), encoding: .utf8)
    }

    @Test(
        .enabled(if: hasModels, "the folder of vectors is not beside this checkout"),
        arguments: [
            (Refunds.Operation.revoke, "advancedCommerceSubscriptionRevokeRequest.json"),
            (.cancel, "advancedCommerceSubscriptionCancelRequest.json"),
            (.refund, "advancedCommerceRequestRefundRequest.json"),
        ])
    func `bodies equal Apple's models`(_ operation: Refunds.Operation, _ name: String) throws {
        // Apple's example names one SKU twice, which its own error 4000194 forbids.
        let text = try Self.model(name).replacing(
            #""sku",\#n      "refundReason": "OTHER""#, with: #""sku2",\#n      "refundReason": "OTHER""#)
        let model = try JSON(reading: text)
        var request = try #require(model.object)
        let sent = try #require(request["requestInfo"]?["requestReferenceId"]?.string.flatMap(ReferenceId.init))
        request["requestInfo"] = nil
        let json = JSON.object(
            JSONObject([
                "app": .string("audiobooks"), "operation": .string(operation.rawValue),
                "transactionId": .string("1"), "request": .object(request), "endsWholeSubscription": .bool(true),
            ]))
        let job = try Job.validate(json, app: Example.sandbox).get()
        #expect(try JSON(reading: job.body(referenceId: sent)).canonicalText == model.canonicalText)
    }

    @Test(.enabled(if: hasModels, "the folder of vectors is not beside this checkout"))
    func `an item with an amount equals Apple's model`() throws {
        let model = try JSON(
            reading: Self.model("advancedCommerceRequestRefundItem.json").replacing("FULL", with: "CUSTOM"))
        let json = try JSON(
            reading: """
                {"app":"audiobooks","operation":"refund","transactionId":"1","amountIncludesTax":false,
                 "request":{"items":[\(model.text)],"refundRiskingPreference":true,"currency":"USD","storefront":"USA"}}
                """)
        let job = try Job.validate(json, app: Example.sandbox).get()
        let body = try JSON(reading: job.body(referenceId: job.referenceId(round: 0, environment: .sandbox)))
        #expect(body["items"]?.array?.first?.canonicalText == model.canonicalText)
    }
}
