extension Job {
    /// The two strings that a queue keeps: everything but the request, and the very bytes for Apple.
    ///
    /// The envelope is canonical JSON. Its `requestInfo`, there exactly if the producer's request had one, holds the
    /// producer's own `requestReferenceId` if there was one: the body can't tell it from ours.
    package func stored(_ referenceId: ReferenceId) -> (envelope: String, body: [UInt8]) {
        (envelope, body(referenceId: referenceId))
    }

    package var envelope: String {
        var object = envelopeFields
        if let info = request.requestInfo {
            object["requestInfo"] = RequestInfo().json(referenceId: info.requestReferenceId)
        }
        return JSON.object(object).canonicalText
    }

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

    private var envelopeFields: JSONObject {
        JSONObject([
            "id": .string(id),
            "app": .string(app),
            "operation": .string(operation.rawValue),
            "transactionId": .string(transactionId),
            "originalTransactionId": originalTransactionId.map(JSON.string),
            "allowRepeat": allowRepeat ? .bool(true) : nil,
            "amountIncludesTax": amountIncludesTax.map(JSON.bool),
            "endsWholeSubscription": endsWholeSubscription ? .bool(true) : nil,
            "priority": .string(priority.rawValue),
            "notBefore": notBefore.map(JSON.integer),
            "requestedBy": requestedBy.map(JSON.string),
            "note": note.map(JSON.string),
        ])
    }

    /// The job of which these were stored. It is checked again, though by rules that suit every app: whoever stored it
    /// had checked it for its own.
    package init(envelope: String, body: [UInt8]) throws(StoredJobError) {
        var object = try Self.readObject(Array(envelope.utf8), as: StoredJobError.envelope)
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
