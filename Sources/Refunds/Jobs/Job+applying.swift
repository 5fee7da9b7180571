extension Job {
    /// Fields that a person may not change: they say which refund this is.
    private static let fixedPaths: Set<[JSONPath.Step]> = [
        [.key("id")], [.key("app")], [.key("operation")], [.key("transactionId")],
        [.key("request"), .key("requestInfo"), .key("requestReferenceId")],
    ]

    /// The job with single values changed by hand, as `--set request.items.0.refundAmount=2500` writes them.
    ///
    /// A value is taken as the text it is where the field holds text, else as JSON; `null` removes the field. The result
    /// is checked like any other job.
    package func applying(sets: [(path: String, value: String)], app rules: AppRules) -> Result<Job, Violations> {
        let result = Self.applying(sets: sets, to: json, app: rules, id: id)
        // A whole `request` or `requestInfo` could smuggle another id in.
        if case .success(let job) = result, job.givenReferenceId != givenReferenceId {
            return .failure(Violations([Self.fixed("request.requestInfo.requestReferenceId")], id: id))
        }
        return result
    }

    /// The same for what never became a job, since it was refused as it came in.
    package static func applying(
        sets: [(path: String, value: String)], to json: JSON, app rules: AppRules, id: String? = nil
    ) -> Result<Job, Violations> {
        var changed = json
        var violations: [Violation] = []
        for (path, text) in sets {
            do throws(Violation.Failure) {
                try set(path, to: text, in: &changed)
            } catch {
                violations.append(error.violation)
            }
        }
        guard violations.isEmpty else { return .failure(Violations(violations, id: id)) }
        return validate(changed, app: rules)
    }

    private static func fixed(_ path: String) -> Violation {
        Violation(
            .notSettable, at: path, "can't be changed: it says which refund this is",
            remedy: "enqueue a new job instead")
    }

    /// The same job without the token that Apple refused.
    package func withoutConsistencyToken(app rules: AppRules) -> Result<Job, Violations> {
        applying(sets: [("request.requestInfo.consistencyToken", "null")], app: rules)
    }

    private static func set(_ path: String, to text: String, in json: inout JSON) throws(Violation.Failure) {
        guard let steps = JSONPath.steps(of: path) else {
            throw .noSuchPath(path, "not a path", remedy: "write it like request.items.0.refundAmount")
        }
        guard !fixedPaths.contains(where: { steps.starts(with: $0) }) else {
            throw Violation.Failure(fixed(path))
        }
        let value = try value(text, for: steps.last, at: path)
        guard json.set(value, at: steps[...]) else {
            throw .noSuchPath(path, "leads to nothing in this job", remedy: "show the job and take the path from there")
        }
    }

    private static let textFields: Set<String> = [
        "originalTransactionId", "priority", "requestedBy", "note", "SKU", "refundReason", "refundType", "currency",
        "storefront", "appAccountToken", "consistencyToken",
    ]

    private static func value(
        _ text: String, for step: JSONPath.Step?, at path: String
    ) throws(Violation.Failure) -> JSON? {
        if text == "null" { return nil }
        if case .key(let key) = step, textFields.contains(key) { return .string(text) }
        do throws(JSONError) {
            return try JSON(reading: text)
        } catch {
            throw Violation.Failure(
                Violation(
                    .wrongType, at: path, "the new value is no JSON: \(error.message)",
                    remedy: "write numbers and true or false bare, objects and arrays as JSON"))
        }
    }
}

extension Violation {
    /// A violation on its way out of a nested step.
    fileprivate struct Failure: Error {
        let violation: Violation

        init(_ violation: Violation) {
            self.violation = violation
        }

        static func noSuchPath(_ path: String, _ message: String, remedy: String) -> Failure {
            Failure(Violation(.noSuchPath, at: path, message, remedy: remedy))
        }
    }
}

extension JSON {
    /// Sets or, with nil, removes what is at the path; false if a step on the way is missing.
    fileprivate mutating func set(_ value: JSON?, at steps: ArraySlice<JSONPath.Step>) -> Bool {
        guard let step = steps.first else { return false }
        let rest = steps.dropFirst()
        switch (self, step) {
        case (.object(var object), .key(let key)):
            if rest.isEmpty {
                object[key] = value
            } else {
                guard var inner = object[key], inner.set(value, at: rest) else { return false }
                object[key] = inner
            }
            self = .object(object)
        case (.array(var array), .index(let index)):
            guard array.indices.contains(index) else { return false }
            if !rest.isEmpty {
                guard array[index].set(value, at: rest) else { return false }
            } else if let value {
                array[index] = value
            } else {
                array.remove(at: index)
            }
            self = .array(array)
        default: return false
        }
        return true
    }
}
