import Arguments
import Configuration
import Queue

/// Which dead letters are meant: by id, or all that match.
struct LetterChoice: Sendable {
    static let arguments: [Argument<Self>] = [
        .option("--app", "APP", \.apps, "Only of this app; all apps otherwise."),
        .option("--reason", "REASON", \.reason, "Only with this reason, such as rejected or withdrawn."),
        .option("--code", "CODE", \.code, "Only with this error code of Apple."),
        .option("--pause", "N", \.pause, "Only those that led to this pause of the app; apps resume names it."),
        .option("--since", "TIME", \.since, "Only what died since then: 2h, 2026-11-30, …"),
        .option("--limit", "N", \.limit, "At most so many, the oldest first."),
    ]

    var apps: [String] = []
    var reason: String?
    var code: String?
    var pause: Int?
    var since: Moment?
    var limit: Int?

    var isEmpty: Bool { apps.isEmpty && reason == nil && code == nil && pause == nil && since == nil }

    struct Match {
        let letter: DeadLetter
        let app: AppSettings
        let queue: JobQueue
    }

    /// Calls `body` for each letter, app by app, the oldest first.
    func each(of assembly: Assembly, _ body: (Match) async throws -> Void) async throws {
        var left = limit ?? .max
        for app in try assembly.apps(apps) {
            let queue = assembly.queue(of: app)
            for letter in try await queue.deadLetters(since: since?.milliseconds ?? 0) where matches(letter) {
                guard left > 0 else { return }
                left -= 1
                try await body(Match(letter: letter, app: app, queue: queue))
            }
        }
    }

    private func matches(_ letter: DeadLetter) -> Bool {
        (reason == nil || letter.reason == reason) && (code == nil || letter.code == code)
            && (pause == nil || letter.pause == pause.map(String.init))
    }

    /// The letters with these ids; whoever isn't there is told.
    func matches(_ ids: [String], in assembly: Assembly) async throws -> [Match] {
        var found: [Match] = []
        for id in ids {
            let before = found.count
            for app in try assembly.apps(apps) {
                let queue = assembly.queue(of: app)
                if let letter = try await queue.letter(id) {
                    found.append(Match(letter: letter, app: app, queue: queue))
                }
            }
            if found.count == before { throw CommandFailure(.noSuchThing, "there is no dead letter \(id)") }
        }
        return found
    }
}

extension JobQueue {
    /// The dead letter of that id, be it a job's or one of an entry that never became a job.
    fileprivate func letter(_ id: String) async throws(QueueError) -> DeadLetter? {
        if let letter = try await deadLetter(id) { return letter }
        return try await deadLetters().first { $0.id == id }
    }
}
