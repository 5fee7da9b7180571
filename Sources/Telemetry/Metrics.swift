private import Synchronization

/// All measures of a process, written out as OpenMetrics text.
///
/// A part asks for its counters once, in its initializer, and keeps the handles: `Counter`, `Gauge`, `Histogram`
/// are references to one family each, safe to use from any thread. Asking twice for a name gives the same family.
package final class Metrics: Sendable {
    private let families = Mutex<[String: MetricFamily]>([:])

    package init() {}

    /// - Parameter name: without `_total`, which the text adds.
    package func counter(_ name: String, _ help: String, labels: [String] = []) -> Counter {
        Counter(family: family(name, help, .counter, labels))
    }

    package func gauge(_ name: String, _ help: String, labels: [String] = []) -> Gauge {
        Gauge(family: family(name, help, .gauge, labels))
    }

    /// - Parameter bounds: upper bounds of the buckets, rising; the open last one is added.
    package func histogram(
        _ name: String, _ help: String, labels: [String] = [], bounds: [Double] = Histogram.seconds
    ) -> Histogram {
        precondition(bounds == bounds.sorted() && Set(bounds).count == bounds.count, "\(name): bounds must rise")
        return Histogram(family: family(name, help, .histogram(bounds: bounds), labels))
    }

    private func family(_ name: String, _ help: String, _ kind: MetricFamily.Kind, _ labels: [String]) -> MetricFamily {
        families.withLock { families in
            if let known = families[name] {
                precondition(known.kind == kind && known.labels == labels, "\(name) was declared in another way before")
                return known
            }
            let new = MetricFamily(name: name, help: help, kind: kind, labels: labels)
            families[name] = new
            return new
        }
    }

    /// The exposition of everything, in the order of names, ended by `# EOF`.
    ///
    /// Content type: `application/openmetrics-text; version=1.0.0; charset=utf-8`
    /// (https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md).
    package var openMetricsText: String {
        let sorted = families.withLock { $0.values.sorted { $0.name < $1.name } }
        return sorted.map(\.openMetricsText).joined() + "# EOF\n"
    }
}
