/// A number that only rises while the process lives.
package struct Counter: Sendable {
    let family: MetricFamily

    /// - Parameter labels: the values, in the order in which the label names were declared.
    package func add(_ amount: Double = 1, _ labels: String...) {
        precondition(amount >= 0, "\(family.name) only rises")
        family.update(labels) { $0.sum += amount }
    }

    package func value(_ labels: String...) -> Double { family.value(labels).sum }
}
