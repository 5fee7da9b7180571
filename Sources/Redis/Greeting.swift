import Telemetry

/// What is said on a new connection before anything else, and what the answers mean. Pure.
struct Greeting {
    private enum Step: CaseIterable { case auth, select, setName, info, ping }

    enum Outcome: Sendable, Hashable {
        case unfinished
        /// The run id changes with each start of a server; nil when this user may not ask for it.
        case done(runId: String?)
        case refused(RedisServerError)
    }

    private let steps: [(step: Step, words: [RedisWord])]
    private var answered = 0
    private var runId: String?

    init(to endpoint: RedisEndpoint, name: String) {
        var steps: [(Step, [RedisWord])] = []
        if let user = endpoint.username {
            // A user who needs no password is content with any; being somebody else unnoticed would be worse.
            steps.append((.auth, ["AUTH", RedisWord(user), RedisWord(endpoint.password?.reveal() ?? "")]))
        } else if let password = endpoint.password?.reveal() {
            steps.append((.auth, ["AUTH", RedisWord(password)]))
        }
        if endpoint.database != 0 { steps.append((.select, ["SELECT", RedisWord(endpoint.database)])) }
        steps.append((.setName, ["CLIENT", "SETNAME", RedisWord(name)]))
        steps.append((.info, ["INFO", "server"]))
        // INFO is answered while the data are still loading; PING isn't.
        steps.append((.ping, ["PING"]))
        self.steps = steps
    }

    var bytes: [UInt8] { steps.reduce(into: []) { RESP.append($1.words, to: &$0) } }

    mutating func reply(_ value: RedisValue) -> Outcome {
        let step = steps[answered].step
        answered += 1
        switch (step, value) {
        // A user without the right to a name or to INFO can still do his work.
        case (.setName, .error(let error)) where error.kind == .noPerm: break
        case (.info, .error(let error)) where error.kind == .noPerm: break
        case (.ping, .error(let error)) where error.kind == .noPerm: break
        case (_, .error(let error)): return .refused(error)
        case (.info, .bulk(let bytes)): runId = Self.runId(in: String(decoding: bytes, as: UTF8.self))
        default: break
        }
        return answered == steps.count ? .done(runId: runId) : .unfinished
    }

    private static func runId(in info: String) -> String? {
        let line = info.split(whereSeparator: \.isNewline).first { $0.hasPrefix("run_id:") }
        return line.map { String($0.dropFirst("run_id:".count)) }
    }
}
