/// Counts what falls into a window that may lie anywhere, to the nanosecond.
package enum SlidingWindow {
    /// The most stamps in any half-open window of that length, and where the first such window begins. `stamps` rise.
    package static func most(_ stamps: [Int64], in window: Int64) -> (count: Int, from: Int64)? {
        var best: (count: Int, from: Int64)?
        var first = 0
        for last in stamps.indices {
            while stamps[last] - stamps[first] >= window { first += 1 }
            let count = last - first + 1
            if count > best?.count ?? 0 { best = (count, stamps[first]) }
        }
        return best
    }

    /// A stamp and how much earlier than stamped the arrival may really have been there.
    package struct Stamp: Sendable, Hashable {
        package let ns: Int64
        package let latenessNs: Int64

        package init(ns: Int64, latenessNs: Int64 = 0) {
            self.ns = ns
            self.latenessNs = latenessNs
        }
    }

    package struct Judgement: Sendable, Hashable {
        /// Windows that held too many, stalls or not.
        package var breaches = 0
        /// Windows that by their stamps held too many, but the stamps may be that late.
        package var inconclusive = 0
        /// Windows that by their stamps were right, and a stall may hide one too many.
        package var unproven = 0
    }

    /// Looks at each run of `allowed + 1` neighbours: they must not fit into one window. `stamps` rise.
    package static func judge(_ stamps: [Stamp], allowed: Int, in window: Int64) -> Judgement {
        var judgement = Judgement()
        guard allowed > 0, stamps.count > allowed else { return judgement }
        for index in 0..<(stamps.count - allowed) {
            let run = stamps[index...(index + allowed)]
            let (first, last) = (stamps[index].ns, stamps[index + allowed].ns)
            let earliest = run.reduce(first) { min($0, $1.ns - $1.latenessNs) }
            let surelyLatest = run.reduce(first) { max($0, $1.ns - $1.latenessNs) }
            if last - earliest < window {
                judgement.breaches += 1
            } else if last - first < window {
                judgement.inconclusive += 1
            } else if surelyLatest - first < window {
                judgement.unproven += 1
            }
        }
        return judgement
    }
}
