/// The least time in which a limit lets things leave.
package enum LeastTime {
    /// From the first of `count` departures to the last, if each leaves as soon as no half-open window holds more than
    /// `limit`. `before` are departures that came earlier, relative to the first (so not positive), rising.
    package static func ofDepartures(
        _ count: Int, limit: Int, window: Double, after before: [Double] = []
    ) -> Double {
        guard count > 0, limit > 0 else { return 0 }
        var departures = before + [0]
        for _ in 1..<max(count, 1) {
            let index = departures.count - limit
            departures.append(index >= 0 ? max(departures[departures.count - 1], departures[index] + window) : 0)
        }
        return departures[departures.count - 1]
    }
}
