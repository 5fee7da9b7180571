extension Job {
    /// What a queue keeps of a job in fields of its own, to look at and to sort by.
    package struct Particulars: Sendable, Hashable {
        package let id: String
        package let app: String
        package let operation: Operation
        package let transactionId: String
        package let priority: Priority
        package let requestedBy: String?

        package init(
            id: String, app: String, operation: Operation, transactionId: String, priority: Priority,
            requestedBy: String?
        ) {
            (self.id, self.app, self.operation) = (id, app, operation)
            (self.transactionId, self.priority, self.requestedBy) = (transactionId, priority, requestedBy)
        }

        fileprivate func fields(and others: JSONObject) -> JSONObject {
            var fields = JSONObject([
                "id": .string(id),
                "app": .string(app),
                "operation": .string(operation.rawValue),
                "transactionId": .string(transactionId),
                "priority": .string(priority.rawValue),
                "requestedBy": requestedBy.map(JSON.string),
            ])
            for member in others.members { fields[member.key] = member.value }
            return fields
        }
    }

    package var particulars: Particulars {
        Particulars(
            id: id, app: app, operation: operation, transactionId: transactionId, priority: priority,
            requestedBy: requestedBy)
    }

    /// What the producer wrote beside the request and the particulars, as canonical JSON; empty if that is nothing.
    ///
    /// Its `requestInfo`, there exactly if the producer's request had one, holds the producer's own
    /// `requestReferenceId` if there was one: the body can't tell it from ours.
    package var envelope: String {
        var object = otherFields
        if let info = request.requestInfo {
            object["requestInfo"] = RequestInfo().json(referenceId: info.requestReferenceId)
        }
        return object.isEmpty ? "" : JSON.object(object).canonicalText
    }

    /// `body(referenceId:)` with an empty text in the id's place, the first of this name. The id of each round goes in
    /// there.
    package var bodyLessReference: [UInt8] { request.json(referenceId: "").asIs }

    /// The bytes of a send: a `bodyLessReference` with the id of its round. Nil if it is none.
    package static func body(_ stored: [UInt8], with reference: ReferenceId) -> [UInt8]? {
        guard stored.starts(with: bodyHead) else { return nil }
        return bodyHead + Array(reference.text.utf8) + stored[bodyHead.count...]
    }

    private static let bodyHead = Array(#"{"requestInfo":{"requestReferenceId":""#.utf8)

    /// The job as the contract writes it. `request` is the producer's, without an id that we made.
    package var json: JSON {
        var object = envelopeFields
        object["request"] = request.json(referenceId: nil)
        return .object(object)
    }

    /// `json` for eyes and logs: the tokens are blotted out, everything else stands.
    package var redactedJSON: JSON {
        var object = envelopeFields
        var shown = request
        if shown.requestInfo?.appAccountToken != nil { shown.requestInfo?.appAccountToken = "<redacted>" }
        if shown.requestInfo?.consistencyToken != nil { shown.requestInfo?.consistencyToken = "<redacted>" }
        object["request"] = shown.json(referenceId: nil)
        return .object(object)
    }

    private var envelopeFields: JSONObject { particulars.fields(and: otherFields) }

    private var otherFields: JSONObject {
        JSONObject([
            "originalTransactionId": originalTransactionId.map(JSON.string),
            "allowRepeat": allowRepeat ? .bool(true) : nil,
            "amountIncludesTax": amountIncludesTax.map(JSON.bool),
            "endsWholeSubscription": endsWholeSubscription ? .bool(true) : nil,
            "notBefore": notBefore.map(JSON.integer),
            "note": note.map(JSON.string),
        ])
    }

    /// The job of which these were stored, `body` with or without its reference id. It is checked again, though by rules
    /// that suit every app: whoever stored it had checked it for its own.
    package init(_ particulars: Particulars, envelope: String, body: [UInt8]) throws(StoredJobError) {
        let others =
            envelope.isEmpty ? JSONObject() : try Self.readObject(Array(envelope.utf8), as: StoredJobError.envelope)
        var object = particulars.fields(and: others)
        var request = try Self.readObject(body, as: StoredJobError.body)
        request["requestInfo"] = Self.producersInfo(object["requestInfo"]?.object, request["requestInfo"]?.object)
        object["requestInfo"] = nil
        object["request"] = .object(request)
        let rules = AppRules(
            name: object["app"]?.string ?? "", environment: .sandbox, allowsRiskingPreference: true)
        switch Self.validate(.object(object), app: rules) {
        case .success(let job): self = job
        case .failure(let violations): throw .violations(violations)
        }
    }

    /// What the producer said in `requestInfo`: the envelope knows the id, the body the rest.
    private static func producersInfo(_ recorded: JSONObject?, _ sent: JSONObject?) -> JSON? {
        guard let recorded else { return nil }
        var info = sent ?? JSONObject()
        info["requestReferenceId"] = recorded["requestReferenceId"]
        return .object(info)
    }

    private static func readObject(
        _ bytes: [UInt8], as wrap: (JSONError) -> StoredJobError
    ) throws(StoredJobError) -> JSONObject {
        let json: JSON
        do throws(JSONError) {
            json = try JSON(reading: bytes)
        } catch {
            throw wrap(error)
        }
        guard case .object(let object) = json else {
            throw wrap(JSONError(.unexpectedCharacter, at: 0, "\(json.kind), not an object"))
        }
        return object
    }
}

/// What is stored under a job's name is no job.
package enum StoredJobError: Error, Hashable {
    case envelope(JSONError)
    case body(JSONError)
    case violations(Violations)
}

extension StoredJobError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .envelope(let error): "the stored envelope is unreadable: \(error)"
        case .body(let error): "the stored body is unreadable: \(error)"
        case .violations(let violations): "the stored job is not valid: \(violations)"
        }
    }
}
