/// Counts admitted calls in sliding windows and says from when the next one may come.
///
/// Whether Apple's hour is fixed or sliding and whether refused calls count is unknown: here it slides, and a call that
/// got a 429 doesn't count, or whoever knocks would never be let in.
struct Doorkeeper: Sendable {
    private struct Door: Hashable {
        let bundleId: String
        let endpoint: Endpoint?
    }

    private var admitted: [Door: RecentStamps] = [:]

    /// Nil when the call is admitted, else the nanoseconds to wait.
    mutating func wait(for endpoint: Endpoint, of app: SimulatedApp, at now: Int64) -> Int64? {
        let limit = app.limit
        let door = Door(bundleId: app.bundleId, endpoint: limit.scope == .endpoint ? endpoint : nil)
        return admitted[door, default: RecentStamps()].admit(under: limit, at: now)
    }

    private static let second: Int64 = 1_000_000_000
    private static let hour: Int64 = 3600 * second

    /// Stamps in rising order; the oldest leave at the front.
    private struct RecentStamps: Sendable {
        private var stamps: [Int64] = []
        private var first = 0

        mutating func admit(under limit: Limit, at moment: Int64) -> Int64? {
            // A slow body can overtake a later head; the windows only need an order.
            let now = max(moment, stamps.last ?? moment)
            forget(before: now - Doorkeeper.hour)
            let second = limit.perSecond.flatMap { wait(toStayBelow: $0, in: Doorkeeper.second, at: now) }
            let hour = limit.perHour.flatMap { wait(toStayBelow: $0, in: Doorkeeper.hour, at: now) }
            if let longest = [second, hour].compactMap(\.self).max() { return longest }
            stamps.append(now)
            return nil
        }

        private mutating func forget(before limit: Int64) {
            while first < stamps.count, stamps[first] <= limit { first += 1 }
            if first > 1024, first * 2 > stamps.count {
                stamps.removeFirst(first)
                first = 0
            }
        }

        private func wait(toStayBelow count: Int, in window: Int64, at now: Int64) -> Int64? {
            guard count > 0 else { return window }
            guard stamps.count - first >= count else { return nil }
            let leaves = stamps[stamps.count - count] + window
            return leaves > now ? leaves - now : nil
        }
    }
}
