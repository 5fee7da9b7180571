import Measurement

/// What one part has measured: cases by figures.
struct BenchTable: Sendable {
    struct Column: Sendable {
        /// In JSON.
        let key: String
        let title: String
        /// Behind the decimal point.
        var digits = 0
    }

    struct Row: Sendable {
        /// In JSON.
        let key: String
        let title: String
        /// By the keys of columns.
        let figures: [String: Sample]
        /// The key of another system's row, measured in the same run, that this one is compared with.
        let peer: String?

        /// - Parameter runs: what each repetition came to.
        init(key: String, title: String, runs: [[String: Double]], peer: String? = nil) {
            self.key = key
            self.peer = peer
            self.title = title
            figures = Set(runs.flatMap(\.keys)).reduce(into: [:]) { figures, key in
                figures[key] = Sample(runs.compactMap { $0[key] })
            }
        }
    }

    let part: BenchPart
    /// How it was measured, in a paragraph.
    let method: String
    let columns: [Column]
    var rows: [Row] = []

    /// How many times the peer's figure each of a row's is, by the medians; empty without a peer in this run.
    func ratios(of row: Row) -> [(column: Column, ratio: Double)] {
        guard let peer = rows.first(where: { $0.key == row.peer }) else { return [] }
        return columns.compactMap { column in
            guard let own = row.figures[column.key]?.median, let other = peer.figures[column.key]?.median, other > 0
            else { return nil }
            return (column, own / other)
        }
    }
}
