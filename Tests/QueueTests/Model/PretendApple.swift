/// What Apple knows: which ids it has carried out, whether or not anybody heard of it.
struct PretendApple {
    enum Reply: Sendable, Hashable {
        case success
        case rejected
        case pendingRefund
        case rateLimited
        case unauthorized
        /// A code that says more about the app than about the job.
        case suspect(Int64)
        /// A redirect, or a 403 that Apple's list doesn't know.
        case strange(Int)
        /// A 5xx, a cut connection, a time-out: carried out or not, nobody knows.
        case silence
        case garbage
        /// No connection came about: nothing left.
        case unsent
    }

    /// By job, the ids that were carried out.
    private(set) var carriedOut: [String: Set<String>] = [:]
    /// A request that may still be under way.
    struct Request {
        let job: String
        let lines: Set<String>
        /// By Redis' clock, as the job has it.
        let departed: Int64
        /// In true time.
        let since: Int64
        /// Sent past by a worker that could not know better.
        var isOvertaken = false
    }

    private(set) var underWay: [Request] = []
    enum Mood: Sendable, Hashable {
        case good
        /// Hardly anything is answered.
        case down
        /// Most are refused with a code that an agreement may cause.
        case suspicious(Int64)
        /// Nobody's token is taken, or this worker's isn't.
        case denying(String?)
        case strange(Int)
    }

    var mood = Mood.good

    mutating func take(
        _ job: ModelJob, ref: String, departed: Int64, since: Int64, isOvertaken: Bool, from worker: String,
        _ random: inout SeededRandom
    ) -> Reply {
        underWay.append(
            Request(job: job.id, lines: job.lines, departed: departed, since: since, isOvertaken: isOvertaken))
        if mood == .down, random.chance(90) {
            if random.chance(20) { carriedOut[job.id, default: []].insert(ref) }
            return .silence
        }
        if mood == .down, random.chance(40) { return .strange(302) }
        switch mood {
        case .denying(let one) where one == nil || one == worker: return .unauthorized
        case .strange(let status) where random.chance(50): return .strange(status)
        case .suspicious(let code) where carriedOut[job.id]?.contains(ref) != true && random.chance(75):
            return .suspect(code)
        default: break
        }
        if carriedOut[job.id]?.contains(ref) == true {
            // A repeat of what was done: the same answer again, or an error that says so, or none.
            return random.weighted([
                (4, .success), (2, .rejected), (2, .silence), (2, .rateLimited), (2, .unauthorized),
            ])
        }
        let reply: Reply = random.weighted([
            (24, .success), (16, .rejected), (4, .pendingRefund), (12, .rateLimited), (10, .unauthorized),
            (28, .silence),
            (5, .garbage), (5, .unsent),
        ])
        switch reply {
        case .success, .garbage: carriedOut[job.id, default: []].insert(ref)
        case .silence: if random.chance(50) { carriedOut[job.id, default: []].insert(ref) }
        case .rejected, .pendingRefund, .rateLimited, .unauthorized, .suspect, .strange, .unsent: break
        }
        return reply
    }

    /// An honest answer, for the end of a walk.
    mutating func carryOut(_ job: ModelJob, ref: String) {
        carriedOut[job.id, default: []].insert(ref)
    }

    mutating func ended(_ job: String, departed: Int64) {
        underWay.removeAll { $0.job == job && $0.departed == departed }
    }

    mutating func forget(before moment: Int64) { underWay.removeAll { $0.since <= moment } }

    mutating func overtake(_ lines: Set<String>) {
        for index in underWay.indices where !underWay[index].lines.isDisjoint(with: lines) {
            underWay[index].isOvertaken = true
        }
    }

    func isPaid(_ job: String) -> Bool { carriedOut[job]?.isEmpty == false }
}
