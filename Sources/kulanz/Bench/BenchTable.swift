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

        /// - Parameter runs: what each repetition came to.
        init(key: String, title: String, runs: [[String: Double]]) {
            self.key = key
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
    var rows: [Row]
    /// The row of another system, measured in the same run, that the others are compared with.
    var peer: String?
}
