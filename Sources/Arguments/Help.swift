/// The page that teaches one command.
struct Help {
    let program: String
    let style: HelpStyle

    func page<C: Command>(of command: C.Type) -> String {
        var blocks = [style.wrapped(C.summary), usage(of: command)]
        blocks += C.discussion.split(separator: "\n\n").map { style.wrapped(String($0)) }
        blocks += sections(of: command)
        if !C.examples.isEmpty { blocks.append(examples(C.examples)) }
        return blocks.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
    }

    private func usage<C: Command>(of command: C.Type) -> [String] {
        let required = C.arguments.filter { $0.isRequired && $0.shape != .positional }.map(\.term)
        let optional = C.arguments.contains { !$0.isRequired && $0.shape != .positional } ? ["[options]"] : []
        let positionals = C.arguments.filter { $0.shape == .positional }.map {
            $0.isRequired ? $0.term : "[\($0.term)]"
        }
        let words = [program, C.name] + required + optional + positionals
        let lines = style.wrapped(words.joined(separator: " "), indent: 7)
        return [style.heading("Usage:") + " " + (lines.first?.dropFirst(7) ?? "")] + lines.dropFirst()
    }

    /// One block per heading, in the order in which headings first occur.
    private func sections<C: Command>(of command: C.Type) -> [[String]] {
        let defaults = C()
        var order: [String] = []
        var rows: [String: [(term: String, text: String)]] = [:]
        for argument in C.arguments {
            let title = argument.section ?? (argument.shape == .positional ? "Arguments" : "Options")
            if rows[title] == nil { order.append(title) }
            rows[title, default: []].append((argument.term, argument.explanation(defaults: defaults)))
        }
        if order.isEmpty { order = ["Options"] }
        let last = order[order.count - 1] == "Arguments" ? "Options" : order[order.count - 1]
        if rows[last] == nil, !order.contains(last) { order.append(last) }
        rows[last, default: []].append(("--help", "This page."))
        let column = HelpStyle.column(for: C.arguments.map(\.term) + ["--help"])
        return order.map { [style.heading($0 + ":")] + style.table(rows[$0] ?? [], column: column) }
    }

    private func examples(_ examples: [Example]) -> [String] {
        [style.heading("Examples:")]
            + examples.flatMap { example in
                // What is to be copied is never broken but where it says so itself.
                "\(program) \(example.line)".split(separator: "\n").map { "  \($0)" }
                    + style.wrapped(example.effect, indent: 6)
            }
    }

    /// The list of commands under their headings.
    func list(_ sections: [CommandSection]) -> [[String]] {
        let column = HelpStyle.column(for: sections.flatMap(\.commands).map { $0.name })
        return sections.map { section in
            [style.heading(section.title + ":")]
                + style.table(section.commands.map { ($0.name, $0.summary) }, column: column)
        }
    }
}

extension Argument {
    /// `--app APP`, `--wait[=STATE]`, `FILE...`
    fileprivate var term: String {
        switch shape {
        case .flag: name
        case .option: "\(name) \(placeholder)"
        case .optionWithOptionalValue: "\(name)[=\(placeholder)]"
        case .positional: repeats ? name + "..." : name
        }
    }

    fileprivate func explanation(defaults: Target) -> String {
        var text = help
        // A placeholder such as yes|no says it already.
        if !allowedWords.isEmpty, placeholder != allowedWords.joined(separator: "|") {
            text += " One of: \(allowedWords.joined(separator: ", "))."
        }
        if repeats, shape == .option { text += " May be repeated." }
        if let word = defaultWord(defaults), !word.isEmpty { text += " Default:\(HelpStyle.hardBlank)\(word)." }
        return text
    }
}
