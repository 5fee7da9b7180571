/// What a producer may say of the request itself; each part is optional.
///
/// The tokens are secrets, so no description of this value, or of one that holds it, shows them.
package struct RequestInfo: Sendable, Hashable {
    /// As the producer wrote it, a UUID; used for the first round.
    package var requestReferenceId: String?
    /// A UUID or empty.
    package var appAccountToken: String?
    /// Only ever one that Apple sent in renewal info.
    package var consistencyToken: String?

    /// Members in the order in which they go to Apple.
    func json(referenceId: String?) -> JSON {
        .object(
            JSONObject([
                "requestReferenceId": referenceId.map(JSON.string),
                "appAccountToken": appAccountToken.map(JSON.string),
                "consistencyToken": consistencyToken.map(JSON.string),
            ]))
    }
}

extension RequestInfo: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "RequestInfo(<redacted>)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
