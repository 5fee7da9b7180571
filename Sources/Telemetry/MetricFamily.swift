private import Synchronization

/// One name of the exposition with a series for each combination of label values.
final class MetricFamily: Sendable {
    enum Kind: Sendable, Equatable {
        case counter
        case gauge
        case histogram(bounds: [Double])
    }

    let name: String
    let help: String
    let kind: Kind
    let labels: [String]
    private let series = Mutex<[[String]: Series]>([:])

    /// A counter and a gauge use `sum` alone.
    struct Series: Sendable {
        var sum = 0.0
        /// How many values fell into each bucket, the open last one included; not cumulated.
        var buckets: [UInt64] = []
    }

    init(name: String, help: String, kind: Kind, labels: [String]) {
        precondition(Self.isName(name), "\(name) is no name of a metric")
        precondition(labels.allSatisfy(Self.isName), "\(name): a label's name is a word")
        precondition(!name.hasSuffix("_total"), "\(name): the text adds _total by itself")
        self.name = name
        self.help = help
        self.kind = kind
        self.labels = labels
    }

    private static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return text.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "_")
        }
    }

    func update(_ values: [String], _ change: (inout Series) -> Void) {
        precondition(values.count == labels.count, "\(name) takes the labels \(labels)")
        series.withLock { change(&$0[values, default: Series()]) }
    }

    func value(_ values: [String]) -> Series { series.withLock { $0[values] ?? Series() } }

    var openMetricsText: String {
        let kept = series.withLock { $0 }
        let ordered = kept.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        var text = "# TYPE \(name) \(typeName)\n# HELP \(name) \(Self.escaped(help))\n"
        for (values, series) in ordered { text += lines(of: series, values) }
        return text
    }

    private var typeName: String {
        switch kind {
        case .counter: "counter"
        case .gauge: "gauge"
        case .histogram: "histogram"
        }
    }

    private func lines(of series: Series, _ values: [String]) -> String {
        switch kind {
        case .counter: return "\(name)_total\(labelSet(values)) \(Self.number(series.sum))\n"
        case .gauge: return "\(name)\(labelSet(values)) \(Self.number(series.sum))\n"
        case .histogram(let bounds):
            var count: UInt64 = 0
            var text = ""
            for (bucket, bound) in zip(series.buckets, bounds + [.infinity]) {
                count += bucket
                text += "\(name)_bucket\(labelSet(values, ("le", Self.number(bound)))) \(count)\n"
            }
            text += "\(name)_count\(labelSet(values)) \(count)\n"
            return text + "\(name)_sum\(labelSet(values)) \(Self.number(series.sum))\n"
        }
    }

    private func labelSet(_ values: [String], _ extra: (String, String)? = nil) -> String {
        let pairs = Array(zip(labels, values)) + (extra.map { [$0] } ?? [])
        guard !pairs.isEmpty else { return "" }
        return "{" + pairs.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",") + "}"
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.append(character)
            }
        }
        return result
    }

    private static func number(_ value: Double) -> String {
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        if value.isNaN { return "NaN" }
        return "\(value)"
    }
}
