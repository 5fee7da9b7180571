/// The lines of a journal on one axis of time, however often the simulator was restarted.
struct Timeline {
    private(set) var entries: [(ns: Int64, entry: JournalEntry)] = []
    private(set) var worstStallNs: Int64 = 0
    private var stalls: [StallMeter.Stall] = []
    /// Where the current run begins. Runs are put side by side by the wall clock, stamps within a run by the monotonic.
    private var originNs: Int64 = 0

    mutating func add(_ line: JournalLine) {
        switch line {
        case .start(let wallMs): originNs = wallMs * 1_000_000
        case .arrival(let entry): entries.append((originNs + entry.nanoseconds, entry))
        case .stall(let stall):
            worstStallNs = max(worstStallNs, stall.lengthNs)
            stalls.append(StallMeter.Stall(endNs: originNs + stall.endNs, lengthNs: stall.lengthNs))
        case .stop(let worst): worstStallNs = max(worstStallNs, worst.lengthNs)
        }
    }

    /// What waited in the kernel during a stall is stamped in the turn of the loop that follows it.
    private static let slackNs: Int64 = 10_000_000

    /// Arrivals in the order of their stamps, each with how late its stamp may be: as long as the stall (or the run of
    /// stalls that follow each other closely) in or right after which it was taken.
    var stamped: [(stamp: SlidingWindow.Stamp, entry: JournalEntry)] {
        let away = periodsAway
        var next = 0
        return entries.sorted { $0.ns < $1.ns }.map { ns, entry in
            while next < away.count, away[next].upperBound < ns { next += 1 }
            let isLate = next < away.count && away[next].contains(ns)
            return (SlidingWindow.Stamp(ns: ns, latenessNs: isLate ? ns - away[next].lowerBound : 0), entry)
        }
    }

    private var periodsAway: [ClosedRange<Int64>] {
        var merged: [ClosedRange<Int64>] = []
        for stall in stalls.sorted(by: { $0.endNs < $1.endNs }) {
            let start = stall.endNs - stall.lengthNs
            let end = stall.endNs + Self.slackNs
            if let last = merged.last, start <= last.upperBound {
                merged[merged.count - 1] = min(last.lowerBound, start)...max(last.upperBound, end)
            } else {
                merged.append(start...end)
            }
        }
        return merged
    }
}
