/// How long things take: as short as they can be for a newcomer who waits, or as long as in production.
struct DemoPace: Sendable {
    let requestTimeoutSeconds: Double
    let leaseSeconds: Double
    let retryBaseSeconds: Double
    /// What keeps requests apart although their way to Apple varies. Brisk, it is more than the usual 25 ms: here
    /// Apple, Redis and four workers share one machine, and a newcomer's may be busy with other things.
    let guardMs: Int
    /// After so long the day ends, whatever is left; it is said so.
    let limit: Duration
    /// From when a worker is killed as soon as one waits for an answer that won't come.
    let killFrom: Duration
    /// Up to when it is waited for such a moment.
    let killUntil: Duration

    static let brisk = DemoPace(
        requestTimeoutSeconds: 2, leaseSeconds: 4, retryBaseSeconds: 0.4, guardMs: 75, limit: .milliseconds(26_500),
        killFrom: .seconds(4), killUntil: .seconds(9))

    static let production = DemoPace(
        requestTimeoutSeconds: 30, leaseSeconds: 60, retryBaseSeconds: 2, guardMs: 25, limit: .seconds(240),
        killFrom: .seconds(4), killUntil: .seconds(12))
}
