import Redis
import Refunds

/// What a job, or an entry that could not become one, left behind when it left the road.
package struct DeadLetter: Sendable, Hashable {
    /// Of its entry in the dead stream.
    package let entryId: String
    package let id: String
    package let app: String
    /// One word: malformed, rejected, conflict, alreadyRequested, withdrawn, outcomeUnknown, workerLost, …
    package let reason: String
    /// Apple's error code, where Apple answered with one.
    package let code: String?
    package let name: String?
    /// What can be done, in words.
    package let hint: String
    /// UNIX milliseconds.
    package let at: Int64
    package let attempts: Int
    /// The job as JSON, or `{"raw": "<base64>"}` for an entry that could not be read.
    package let job: String
    /// Whether a request of it may have arrived.
    package let isOpen: Bool
    package let conflictsWith: String?
    /// The number of the pause that it was one of the reasons for.
    package let pause: String?

    init?(app: String, entry: RedisValue) {
        guard let parts = entry.array, parts.count == 2, let entryId = parts[0].string, let fields = parts[1].fields,
            let id = fields["id"]?.string, let reason = fields["reason"]?.string, let at = fields["at"]?.integer
        else { return nil }
        func text(_ name: String) -> String? {
            guard let text = fields[name]?.string, !text.isEmpty else { return nil }
            return text
        }
        self.entryId = entryId
        self.id = id
        self.app = app
        self.reason = reason
        code = text("code")
        name = text("name")
        hint = text("hint") ?? ""
        self.at = at
        attempts = Int(fields["attempts"]?.integer ?? 0)
        job = text("job") ?? "null"
        isOpen = text("open") == "1"
        conflictsWith = text("conflictsWith")
        pause = text("pause")
    }

    /// Whether there is a job behind it; otherwise it is an entry that never became one.
    package var isOfJob: Bool { !id.hasPrefix("letter/") }
}
