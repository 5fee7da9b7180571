/// How wide help may be, and whether headings stand out.
package struct HelpStyle: Sendable, Hashable {
    /// In columns.
    package let width: Int
    package let isColoured: Bool

    package init(width: Int = 80, isColoured: Bool = false) {
        // Below that a line holds hardly a word, above it the eye loses the line.
        self.width = min(max(width, 30), 100)
        self.isColoured = isColoured
    }

    /// Keeps two words on one line.
    static let hardBlank = "\u{A0}"

    func heading(_ text: String) -> String { isColoured ? "\u{1B}[1m\(text)\u{1B}[0m" : text }

    /// The text broken at blanks, each line behind so many blanks; a word that is too long stays whole.
    func wrapped(_ text: String, indent: Int = 0) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = ""
        for word in text.split(whereSeparator: { $0 == " " || $0.isNewline }) {
            if !line.isEmpty, indent + line.count + 1 + word.count > width {
                lines.append(margin + line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " " + word
        }
        if !line.isEmpty { lines.append(margin + line) }
        return lines.map { $0.replacing(Self.hardBlank, with: " ") }
    }

    /// Where explanations begin beside these terms; a term that is longer than most gets a line of its own.
    static func column(for terms: [String]) -> Int { min(terms.map(\.count).max() ?? 0, 26) + 5 }

    /// Terms on the left, explanations on the right; where the window is too narrow for two columns, below.
    func table(_ rows: [(term: String, text: String)], column: Int) -> [String] {
        guard width >= 60 else {
            return rows.flatMap { ["  " + $0.term] + wrapped($0.text, indent: 6) }
        }
        return rows.flatMap { row -> [String] in
            var lines = wrapped(row.text, indent: column)
            let term = "  " + row.term
            guard let first = lines.first, term.count + 2 <= column else { return [term] + lines }
            lines[0] = term + first.dropFirst(term.count)
            return lines
        }
    }
}
