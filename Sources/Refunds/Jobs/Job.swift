import Crypto

/// One request for Apple as a producer wants it, valid by construction.
///
/// The fields are the contract's, section 1. There is no way to make one but through `validate`, or from what was
/// stored of a valid one.
package struct Job: Sendable, Hashable {
    /// The producer's idempotency key, or `auto-` and the first 32 digits of `contentDigest`.
    package let id: String
    package let app: String
    package let operation: Operation
    package let transactionId: String
    package let originalTransactionId: String?
    package let allowRepeat: Bool
    package let request: Request
    package let amountIncludesTax: Bool?
    package let endsWholeSubscription: Bool
    package let priority: Priority
    /// UNIX ms; not sent before.
    package let notBefore: Int64?
    package let requestedBy: String?
    package let note: String?
    /// Lower-case hex SHA-256 over the canonical JSON of `{app, operation, request, transactionId}`: two jobs with the
    /// same id are the same job exactly when this is equal.
    package let contentDigest: String

    /// The most that a job's JSON may take, in bytes.
    package static let sizeLimit = 65_536

    /// Jobs that share a line are sent one after another.
    package var line: String { originalTransactionId ?? transactionId }

    /// The producer's own `requestReferenceId`, used for round 0.
    package var givenReferenceId: ReferenceId? { request.requestInfo?.requestReferenceId.flatMap(ReferenceId.init) }

    /// The id of a round; rounds count from 0 and rise only when a new id is lawful.
    package func referenceId(round: Int, environment: Environment) -> ReferenceId {
        if round == 0, let givenReferenceId { return givenReferenceId }
        return .derived(
            app: app, environment: environment, jobId: id, contentDigest: contentDigest, round: round)
    }

    /// The exact bytes for Apple: one line, members always in the same order, equal for equal input.
    package func body(referenceId: ReferenceId) -> [UInt8] {
        request.json(referenceId: referenceId.text).asIs
    }

    /// Apple's page says `integer` and its own model takes 32 bits; above that somebody should look.
    package var hasAmountBeyondInt32: Bool {
        request.items.contains { ($0.refundAmount ?? 0) > Int64(Int32.max) }
    }

    package var hasConsistencyToken: Bool { request.requestInfo?.consistencyToken != nil }

    static func digest(app: String, operation: Operation, request: JSON, transactionId: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        // These four keys stand here in canonical order already.
        bytes.append(contentsOf: #"{"app":"#.utf8)
        JSON.write(app, to: &bytes)
        bytes.append(contentsOf: #","operation":"\#(operation.rawValue)","request":"#.utf8)
        request.writeCanonical(to: &bytes)
        bytes.append(contentsOf: #","transactionId":"#.utf8)
        JSON.write(transactionId, to: &bytes)
        bytes.append(UInt8(ascii: "}"))
        return Digest.sha256(bytes).hex
    }
}
