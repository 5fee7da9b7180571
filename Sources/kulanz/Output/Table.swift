/// Rows under headings, as wide as they need to be and no wider than the window.
struct Table {
    struct Column {
        let title: String
        var isNumber = false
        /// Gives way when the window is too narrow.
        var canShrink = false

        static func text(_ title: String) -> Column { Column(title: title) }
        static func number(_ title: String) -> Column { Column(title: title, isNumber: true) }
        static func long(_ title: String) -> Column { Column(title: title, canShrink: true) }
    }

    let columns: [Column]
    private(set) var rows: [[String]] = []

    init(_ columns: [Column]) { self.columns = columns }

    var isEmpty: Bool { rows.isEmpty }

    mutating func add(_ cells: String...) { add(cells: cells) }
    mutating func add(cells: [String]) { rows.append(cells.map(\.printable)) }

    /// - Parameter width: of the window; nil for a file or a pipe, where nothing is cut.
    func lines(width: Int?) -> [String] {
        let widths = widths(within: width)
        let lines = [columns.map(\.title)] + rows
        return lines.map { cells in
            let padded = zip(cells, zip(columns, widths)).map { cell, shape in
                Self.fit(cell, to: shape.1, isNumber: shape.0.isNumber)
            }
            let line = padded.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    private func widths(within window: Int?) -> [Int] {
        var widths = columns.indices.map { index in
            max(columns[index].title.count, rows.map { $0[index].count }.max() ?? 0)
        }
        guard let window else { return widths }
        var excess = widths.reduce(0, +) + 2 * (widths.count - 1) - window
        // The widest gives way first, so that no column vanishes before another had to give anything.
        while excess > 0 {
            let candidates = widths.indices.filter {
                columns[$0].canShrink && widths[$0] > max(8, columns[$0].title.count)
            }
            guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }

    private static func fit(_ cell: String, to width: Int, isNumber: Bool) -> String {
        guard cell.count <= width else { return cell.prefix(width - 1) + "…" }
        let blanks = String(repeating: " ", count: width - cell.count)
        return isNumber ? blanks + cell : cell + blanks
    }

    func print() { for line in lines(width: Terminal.width) { Output.line(line) } }
}
