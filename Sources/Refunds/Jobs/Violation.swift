/// One thing that is wrong with a job, said so that its producer can mend it.
package struct Violation: Sendable, Hashable {
    /// Stable names; other programs switch on them.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        // The text itself.
        case jobTooLarge, notJSON, notUTF8, duplicateKey, notAnObject
        // Fields as such.
        case unknownField, missingField, wrongType, nulCharacter, controlCharacter, textTooLong
        // The envelope.
        case malformedId, malformedApp, unknownApp, appMismatch, laneMismatch, unknownOperation, unknownPriority
        case malformedTransactionId, malformedOriginalTransactionId, malformedNotBefore, endsWholeSubscriptionNotStated
        // The request.
        case noItems, malformedSKU, duplicateSKU, unknownRefundReason, unknownRefundType, customOnlyOnRefund
        case modifyItemsOnlyOnRefund, simulatedDeclineOnlyInSandbox, simulatedDeclineOnSomeItems
        case riskingPreferenceNotAllowed, malformedCurrency, malformedStorefront
        case malformedReferenceId, malformedAppAccountToken, malformedConsistencyToken
        // Money.
        case amountNotInteger, amountNotPositive, amountTooLarge, amountTooPrecise, amountMissing, amountWithoutCustom
        case unknownCurrencyDecimals, taxMismatch
        // Changes by hand.
        case notSettable, noSuchPath
        // What only the queue can know.
        case conflict, alreadyRequested, referenceIdUsed
    }

    package let code: Code
    /// `request.items[0].refundAmount`; empty for the job as a whole.
    package let path: String
    package let message: String
    package let remedy: String

    package init(_ code: Code, at path: String, _ message: String, remedy: String) {
        self.code = code
        self.path = path
        self.message = message
        self.remedy = remedy
    }

    package var json: JSON {
        .object(
            JSONObject([
                "code": .string(code.rawValue), "path": .string(path), "message": .string(message),
                "remedy": .string(remedy),
            ]))
    }
}

extension Violation: CustomStringConvertible {
    package var description: String { "\(path.isEmpty ? "job" : path): \(message); \(remedy) [\(code.rawValue)]" }
}

/// Everything that is wrong with a job, in the order of its fields.
package struct Violations: Error, Sendable, Hashable {
    package let all: [Violation]
    /// The producer's id, if that much could be read.
    package let id: String?

    package init(_ all: [Violation], id: String? = nil) {
        self.all = all
        self.id = id
    }

    package var codes: [Violation.Code] { all.map(\.code) }
    package var json: JSON { .array(all.map(\.json)) }
}

extension Violations: CustomStringConvertible {
    package var description: String { all.map(\.description).joined(separator: "\n") }
}
