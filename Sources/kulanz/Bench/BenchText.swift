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
    /// For people: one line a case, medians.
    var text: Table {
        var table = Table([.long("case")] + columns.map { .number($0.title) })
        for row in rows {
            table.add(cells: [row.title] + columns.map { row.figures[$0.key]?.text(digits: $0.digits) ?? "" })
        }
        return table
    }
}
