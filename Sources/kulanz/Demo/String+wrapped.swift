extension String {
    /// Broken at blanks into lines of so many columns, each behind a margin; a word that is too long stays whole. A
    /// hard blank (U+00A0) keeps two words together and comes out as a blank.
    func wrapped(to width: Int, indent: Int = 0) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = ""
        for word in split(whereSeparator: { $0 == " " || $0.isNewline }) {
            if !line.isEmpty, indent + line.count + 1 + word.count > width {
                lines.append(margin + line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " " + word
        }
        if !line.isEmpty { lines.append(margin + line) }
        return lines.map { $0.replacing("\u{A0}", with: " ") }
    }
}
