/// One of Apple's error codes: what it is called, what it means, what a person can do.
///
/// Codes and names are Apple's (Advanced Commerce API and App Store Server API, error pages); how we handle them is
/// ours. Source: the fact sheet, sections 6.1, 6.3 and 6.4.
package struct AppleError: Sendable, Hashable {
    /// What we do when the code answers the only send of an id. On an open id `disposition` overrides it.
    package enum Handling: Sendable, Hashable {
        /// A person decides.
        case bury(alert: Bool)
        /// Our checks should have refused the job: a person decides, and we have something to mend.
        case buryAsOurMistake
        /// The id was used before, though we know of no send.
        case buryAsRepeated
        case hold
        case reconcile
        case retryNew
        case retryNewWithoutConsistencyToken
        case retrySame
        case pause(PauseReason)
        case refreshToken
        case block
    }

    /// Seven digits; the first three are the HTTP status.
    package let code: Int64
    package let name: String
    package let meaning: String
    package let hint: String
    package let handling: Handling
    /// One of those that an agreement which wasn't accepted may cause, in runs.
    package let isAgreementSuspect: Bool

    package var status: Int { Int(code / 10_000) }

    init(
        _ code: Int64, _ name: String, _ handling: Handling, _ meaning: String, hint: String,
        isAgreementSuspect: Bool = false
    ) {
        self.code = code
        self.name = name
        self.meaning = meaning
        self.hint = hint
        self.handling = handling
        self.isAgreementSuspect = isAgreementSuspect
    }

    /// Every code that Apple has published, by its digits.
    package static let catalogue: [Int64: AppleError] = Dictionary(
        uniqueKeysWithValues: (refundErrors + storeErrors + otherCommerceErrors).map { ($0.code, $0) })
}

extension AppleError: CustomStringConvertible {
    package var description: String { "\(name) (\(code)): \(meaning)" }
}
