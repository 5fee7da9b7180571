import Refunds
import Testing

@Suite struct JobTests {
    @Test func `the contract's own example is a job, and its envelope and body give it back`() throws {
        let job = try Example.job(Example.contract)
        #expect(job.id == "case-4711")
        let referenceId = job.referenceId(round: 0, environment: .production)
        let (envelope, body) = job.stored(referenceId)
        #expect(try Job(envelope: envelope, body: body) == job)
        #expect(ReferenceId(body: body) == referenceId)
    }
}
