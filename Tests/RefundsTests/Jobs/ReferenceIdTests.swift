import Refunds
import Testing

@Suite struct ReferenceIdTests {
    /// Made with Python's `uuid.uuid5`.
    @Test(arguments: [
        (Environment.production, 0, "e638f833-e189-5e80-b769-e0149028c168"),
        (.production, 1, "8b609853-cd3a-54fb-a081-e38243a5bb1e"),
        (.production, 17, "d6163b21-8f0c-5f61-bbe5-49b207587581"),
        (.sandbox, 0, "962dea12-1b4f-590a-8b76-00e6d1a45461"),
        (.sandbox, 1, "8b3c8f3f-8bbd-5c90-ab09-063528f991e8"),
        (.sandbox, 17, "c5b90145-2605-5f53-8058-e5848ecabaae"),
    ])
    func `derived ids never change`(_ environment: Environment, _ round: Int, _ expected: String) {
        let id = ReferenceId.derived(
            app: "audiobooks", environment: environment, jobId: "case-4711",
            contentDigest: "d1cd1156222f170b0a250fc19a2b00fdde759d73edf779d27f0808d553fde3d1", round: round)
        #expect(id.text == expected)
    }

    @Test func `each part makes another id`() {
        let ids = [
            ReferenceId.derived(app: "a", environment: .production, jobId: "b", contentDigest: "c", round: 0),
            .derived(app: "x", environment: .production, jobId: "b", contentDigest: "c", round: 0),
            .derived(app: "a", environment: .sandbox, jobId: "b", contentDigest: "c", round: 0),
            .derived(app: "a", environment: .production, jobId: "x", contentDigest: "c", round: 0),
            .derived(app: "a", environment: .production, jobId: "b", contentDigest: "x", round: 0),
            .derived(app: "a", environment: .production, jobId: "b", contentDigest: "c", round: 1),
            .derived(app: "a", environment: .production, jobId: "bc", contentDigest: "", round: 0),
        ]
        #expect(Set(ids).count == ids.count)
        #expect(ids.allSatisfy { ReferenceId($0.text) == $0 })
    }

    @Test(arguments: [
        "", "1f0c2a52", "1f0c2a526b0e4b6e9d553a2f6f1f9a01", "1f0c2a52-6b0e-4b6e-9d55-3a2f6f1f9a0",
        "1f0c2a52-6b0e-4b6e-9d55-3a2f6f1f9a012", "1f0c2a52-6b0e-4b6e-9d55-3a2f6f1f9a0g",
        "1f0c2a52-6b0e-4b6e-9d553-a2f6f1f9a01", "{f0c2a52-6b0e-4b6e-9d55-3a2f6f1f9a0}",
    ])
    func `what is no UUID is no id`(_ text: String) {
        #expect(ReferenceId(text) == nil)
    }

    @Test func `ids are sent in lower case`() {
        #expect(ReferenceId("1F0C2A52-6B0E-4B6E-9D55-3A2F6F1F9A01")?.text == "1f0c2a52-6b0e-4b6e-9d55-3a2f6f1f9a01")
    }
}
