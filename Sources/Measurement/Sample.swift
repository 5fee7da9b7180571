/// Values of one quantity, measured several times.
package struct Sample: Sendable, Hashable {
    /// In the order in which they were measured; at least one.
    package let values: [Double]
    private let sorted: [Double]

    /// Nil without a value.
    package init?(_ values: [Double]) {
        guard !values.isEmpty else { return nil }
        self.values = values
        sorted = values.sorted()
    }

    package init(_ value: Double) {
        values = [value]
        sorted = values
    }

    package var least: Double { sorted[0] }
    package var most: Double { sorted[sorted.count - 1] }

    /// The middle value; of an even number the mean of the two in the middle.
    package var median: Double {
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }

    /// The smallest value that at least that share of all, 0 to 1, doesn't exceed (nearest rank): always one that was
    /// measured, never one in between.
    package func percentile(_ share: Double) -> Double {
        let rank = Int((share * Double(sorted.count)).rounded(.up))
        return sorted[min(max(rank, 1), sorted.count) - 1]
    }
}
