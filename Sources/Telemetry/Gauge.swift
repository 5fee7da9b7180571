/// A number that rises and falls.
package struct Gauge: Sendable {
    let family: MetricFamily

    /// - Parameter labels: the values, in the order in which the label names were declared.
    package func set(_ value: Double, _ labels: String...) { family.update(labels) { $0.sum = value } }

    package func add(_ amount: Double, _ labels: String...) { family.update(labels) { $0.sum += amount } }

    package func value(_ labels: String...) -> Double { family.value(labels).sum }
}
