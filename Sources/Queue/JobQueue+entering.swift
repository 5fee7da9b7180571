import Redis
package import Refunds

/// What became of a job that was to enter.
package enum Entry: Sendable, Hashable {
    case enqueued(ReferenceId)
    /// The same id with the same content is there already; nothing happened.
    case duplicate(JobState, ReferenceId)
    /// Another job has this id.
    case conflict
    /// That job has asked for one of the items and is not over.
    case alreadyRequested(by: String)
    /// That job has used the reference id that the producer gave.
    case referenceUsed(by: String)
}

/// What a worker found out about a raw entry.
package enum Judgement: Sendable {
    case job(Job, text: [UInt8])
    /// It was a reference to a job that some lease read but couldn't finish.
    case reference(String)
    /// It can't become a job. `text` is its JSON, or `{"raw": "<base64>"}` where there is none.
    case letter(reason: String, code: String, name: String, hint: String, text: String)
}

/// What became of a raw entry.
package enum Adoption: String, Sendable {
    case adopted, duplicate, letter
    /// Another worker was faster.
    case gone
}

extension JobQueue {
    /// Puts a validated job at the end of its lane. `mending` is the id of the dead letter that it replaces.
    package func enqueue(_ job: Job, mending letter: String? = nil) async throws(QueueError) -> Entry {
        let answer = try await run(.enqueue, spec(of: job) + [RedisWord(letter ?? "")])
        guard let words = answer.strings, words.count == 3 else {
            throw QueueError("enqueue", app: app, unexpected: answer)
        }
        switch words[0] {
        case "enqueued": if let reference = ReferenceId(words[2]) { return .enqueued(reference) }
        case "duplicate":
            if let state = JobState(rawValue: words[1]), let reference = ReferenceId(words[2]) {
                return .duplicate(state, reference)
            }
        case "conflict": return .conflict
        case "alreadyRequested": return .alreadyRequested(by: words[1])
        case "referenceUsed": return .referenceUsed(by: words[1])
        default: break
        }
        throw QueueError("enqueue", app: app, unexpected: answer)
    }

    /// Turns raw entries into jobs or dead letters, in one call.
    package func adopt(_ entries: [(RawEntry, Judgement)]) async throws(QueueError) -> [Adoption] {
        var words: [RedisWord] = [RedisWord(entries.count)]
        for (entry, judgement) in entries {
            words += [RedisWord(entry.priority.rawValue), RedisWord(entry.entryId)]
            switch judgement {
            case .job(let job, let text):
                // The lane that it was put into decides, whatever priority the text names.
                words += ["job"] + spec(of: job, in: entry.priority) + [RedisWord(text)]
            case .reference(let id): words += ["reference", RedisWord(id)]
            case .letter(let reason, let code, let name, let hint, let text):
                words += ["letter"] + [reason, code, name, hint, "", text].map { RedisWord($0) }
            }
        }
        let answer = try await run(.adopt, words)
        guard let verdicts = answer.strings?.compactMap(Adoption.init), verdicts.count == entries.count else {
            throw QueueError("adopt", app: app, unexpected: answer)
        }
        return verdicts
    }

    /// A job in the words of create.lua.
    func spec(of job: Job, in lane: Priority? = nil) -> [RedisWord] {
        let reference = job.referenceId(round: 0, environment: environment)
        let claims = job.claims
        return [
            RedisWord(job.id), RedisWord(digest: job.contentDigest), RedisWord(job.envelope),
            RedisWord(job.bodyLessReference), RedisWord(reference.text), job.givenReferenceId == nil ? "0" : "1",
            RedisWord(job.operation.rawValue), RedisWord(job.transactionId), RedisWord(job.line),
            RedisWord((lane ?? job.priority).rawValue), job.allowRepeat ? "1" : "0",
            RedisWord(job.notBefore.map(String.init) ?? ""), RedisWord(job.requestedBy ?? ""), RedisWord(claims.count),
        ] + claims.map { RedisWord($0) }
    }
}

extension Job {
    /// What it lays claim to in its transaction, in the words of claims.lua, which finds the same in a stored body.
    fileprivate var claims: [String] {
        switch operation {
        case .refund: request.items.map { "s:" + $0.sku }
        case .revoke: ["*"]
        case .cancel: ["cancel"]
        }
    }
}
