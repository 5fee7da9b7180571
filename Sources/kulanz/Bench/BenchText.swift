import Measurement

extension Sample {
    /// The median with that many digits behind the point.
    func text(digits: Int) -> String { Self.text(median, digits: digits) }

    static func text(_ value: Double, digits: Int) -> String {
        let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
        let whole = (abs(value) * scale).rounded()
        let integer = Int(whole / scale)
        let sign = value < 0 ? "-" : ""
        guard digits > 0 else { return sign + grouped(integer) }
        let fraction = String(Int(whole - Double(integer) * scale))
        return sign + grouped(integer) + "." + String(repeating: "0", count: digits - fraction.count) + fraction
    }

    private static func grouped(_ number: Int) -> String {
        var digits = String(number)
        var groups: [Substring] = []
        while digits.count > 3 {
            groups.insert(digits.suffix(3), at: 0)
            digits.removeLast(3)
        }
        return ([digits[...]] + groups).joined(separator: ",")
    }
}

extension BenchTable {
    /// For people: one line a case, medians, and below what they are against the peer's.
    func lines(width: Int?) -> [String] {
        var table = Table([.long("case")] + columns.map { .number($0.title) })
        for row in rows {
            table.add(cells: [row.title] + columns.map { row.figures[$0.key]?.text(digits: $0.digits) ?? "" })
        }
        let comparisons = rows.compactMap(comparison).flatMap { $0.wrapped(to: width ?? 80) }
        return [part.title, ""] + table.lines(width: width) + (comparisons.isEmpty ? [] : [""] + comparisons)
    }

    private func comparison(of row: Row) -> String? {
        let ratios = ratios(of: row)
        guard !ratios.isEmpty, let peer = rows.first(where: { $0.key == row.peer }) else { return nil }
        let parts = ratios.map { "\($0.column.title)\u{A0}×\u{A0}\(Sample.text($0.ratio, digits: 2))" }
        return "\(row.title), against \(peer.title): \(parts.joined(separator: ", "))"
    }

    /// For the figures in docs/benchmarks.md: medians, and in brackets from least to most.
    var markdown: [String] {
        let head = ["case"] + columns.map(\.title)
        let body = rows.map { row in
            [row.title] + columns.map { row.figures[$0.key]?.range(digits: $0.digits) ?? "" }
        }
        let table = [head, head.map { _ in "---" }] + body
        return ["### \(part.title)", ""] + "`kulanz bench \(part.rawValue)`. \(method)".wrapped(to: 120) + [""]
            + table.map { "| " + $0.joined(separator: " | ") + " |" }
            + rows.compactMap(comparison).flatMap { [""] + ($0 + ".").wrapped(to: 120) }
    }
}

extension Sample {
    fileprivate func range(digits: Int) -> String {
        let (least, most) = (Self.text(least, digits: digits), Self.text(most, digits: digits))
        return text(digits: digits) + (least == most ? "" : " (\(least)–\(most))")
    }
}
