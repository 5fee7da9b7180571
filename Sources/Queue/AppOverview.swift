package import Refunds

/// One app at one moment, as `apps list` tells it.
package struct AppOverview: Sendable {
    package let app: String
    package let environment: Environment
    /// Jobs that wait to be sent, by lane: stream and front together.
    package let lanes: [Priority: Int]
    package let inFlight: Int
    /// Retries and jobs that are not to be sent before a time.
    package let later: Int
    /// Jobs behind another one for the same purchase.
    package let followers: Int
    package let held: Int
    package let dead: Int
    /// Of the oldest job that could be sent.
    package let oldestAgeMilliseconds: Int64?
    /// Departures within the last second.
    package let departuresInLastSecond: Int
    /// UNIX milliseconds.
    package let blockedUntil: Int64?
    /// While Apple is down: when the next single request may go, UNIX milliseconds.
    package let nextProbe: Int64?
    package let paused: (reason: String, since: Int64, by: String, why: String)?
    package let untoldAlarms: Int

    /// Whether nothing is left that a worker could send now or later. What is held, and what waits behind a dead
    /// letter, doesn't count.
    package var isIdle: Bool { lanes.values.allSatisfy { $0 == 0 } && inFlight == 0 && later == 0 }
}
