/// How often values fell between fixed bounds.
package struct Histogram: Sendable {
    /// Bounds that fit a call to Apple: from a warm connection's answer to the request time-out.
    package static let seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

    let family: MetricFamily

    /// - Parameter labels: the values, in the order in which the label names were declared.
    package func observe(_ value: Double, _ labels: String...) { observe(value, labels: labels) }

    /// Observes a duration in seconds.
    package func observe(_ duration: Duration, _ labels: String...) {
        observe(duration / .seconds(1), labels: labels)
    }

    private func observe(_ value: Double, labels: [String]) {
        guard case .histogram(let bounds) = family.kind else { return }
        // A bound belongs to its bucket ("le").
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        family.update(labels) { series in
            if series.buckets.isEmpty { series.buckets = Array(repeating: 0, count: bounds.count + 1) }
            series.buckets[bucket] += 1
            series.sum += value
        }
    }

    /// How many values were observed.
    package func count(_ labels: String...) -> UInt64 { family.value(labels).buckets.reduce(0, +) }
}
