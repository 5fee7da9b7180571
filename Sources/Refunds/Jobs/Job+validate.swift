extension Job {
    /// Which way a job came in.
    package enum Origin: Sendable, Hashable {
        /// A line of JSON Lines, or HTTP: the job itself says app and priority.
        case line
        /// An entry of a stream, whose name says both; the job may repeat them.
        case lane(Priority)
    }

    /// Reads a job for an app, or says everything that is wrong with it.
    package static func validate(
        _ bytes: [UInt8], app rules: AppRules, from origin: Origin = .line
    ) -> Result<Job, Violations> {
        read(bytes) { _ in
            rules
        } with: {
            origin
        }
    }

    /// Reads a job that itself says which of the apps it is for.
    package static func validate(_ bytes: [UInt8], apps: [String: AppRules]) -> Result<Job, Violations> {
        read(bytes) { json in
            json["app"]?.string.flatMap { apps[$0] }
        } with: {
            .line
        }
    }

    /// Checks a job that is JSON already.
    package static func validate(
        _ json: JSON, app rules: AppRules?, from origin: Origin = .line
    ) -> Result<Job, Violations> {
        guard case .object(let object) = json else {
            return .failure(
                Violations([
                    Violation(
                        .notAnObject, at: "", "\(json.kind), not an object",
                        remedy: "give one JSON object for each job")
                ]))
        }
        var inspection = JobInspection(rules: rules, origin: origin)
        if let job = inspection.readJob(object) { return .success(job) }
        let id = object["id"]?.string.flatMap { JobInspection.isValid(id: $0) ? $0 : nil }
        return .failure(Violations(inspection.violations, id: id))
    }

    private static func read(
        _ bytes: [UInt8], _ rules: (JSON) -> AppRules?, with origin: () -> Origin
    ) -> Result<Job, Violations> {
        guard bytes.count <= sizeLimit else {
            return .failure(
                Violations([
                    Violation(
                        .jobTooLarge, at: "", "\(bytes.count) bytes, more than \(sizeLimit)",
                        remedy: "split the items over several jobs, or shorten the note")
                ]))
        }
        do throws(JSONError) {
            let json = try JSON(reading: bytes)
            return validate(json, app: rules(json), from: origin())
        } catch {
            return .failure(Violations([Violation(error)]))
        }
    }
}

extension Violation {
    init(_ error: JSONError) {
        switch error.code {
        case .duplicateKey:
            self.init(
                .duplicateKey, at: error.path, "\(error.message) (byte \(error.offset))",
                remedy: "give each key once: which of the two is meant can't be known")
        case .notUTF8, .byteOrderMark:
            self.init(
                .notUTF8, at: error.path, "\(error.message) (byte \(error.offset))",
                remedy: "send UTF-8 without a byte order mark")
        default:
            self.init(
                .notJSON, at: error.path, "\(error.message) (byte \(error.offset))",
                remedy: "send one JSON object, as RFC 8259 has it")
        }
    }
}
