/// What Apple knows: which ids it has carried out, whether or not anybody heard of it.
struct PretendApple {
    enum Reply: Sendable {
        case success
        case rejected
        case pendingRefund
        case rateLimited
        case unauthorized
        /// A 5xx, a cut connection, a time-out: carried out or not, nobody knows.
        case silence
        case garbage
        /// No connection came about: nothing left.
        case unsent
    }

    /// By job, the ids that were carried out.
    private(set) var carriedOut: [String: Set<String>] = [:]
    /// Requests that may still be under way: job, lines and departure.
    private(set) var underWay: [(job: String, ref: String, lines: Set<String>, departed: Int64)] = []
    /// Hardly anything is answered while it is.
    var isDown = false

    mutating func take(
        _ job: ModelJob, ref: String, departed: Int64, _ random: inout SeededRandom
    ) -> Reply {
        underWay.append((job.id, ref, job.lines, departed))
        if isDown, random.chance(90) {
            if random.chance(20) { carriedOut[job.id, default: []].insert(ref) }
            return .silence
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
        case .rejected, .pendingRefund, .rateLimited, .unauthorized, .unsent: break
        }
        return reply
    }

    /// An honest answer, for the end of a walk.
    mutating func carryOut(_ job: ModelJob, ref: String, departed: Int64) {
        underWay.append((job.id, ref, job.lines, departed))
        carriedOut[job.id, default: []].insert(ref)
    }

    mutating func ended(_ job: String, departed: Int64) {
        underWay.removeAll { $0.job == job && $0.departed == departed }
    }

    mutating func forget(before moment: Int64) { underWay.removeAll { $0.departed <= moment } }

    func isPaid(_ job: String) -> Bool { carriedOut[job]?.isEmpty == false }
}
