/// A program made of commands, some of them in groups: `jobs list` and `jobs show` are the group `jobs`.
package struct Program: Sendable {
    package let name: String
    package let summary: String
    package let version: String
    package let sections: [CommandSection]
    /// Commands that the program starts itself with: found by their exact name, listed nowhere.
    package let hidden: [any Command.Type]
    /// What to say to a word that could mean several commands.
    package let ambiguities: [String: String]

    package init(
        name: String, summary: String, version: String, sections: [CommandSection],
        hidden: [any Command.Type] = [], ambiguities: [String: String] = [:]
    ) {
        self.name = name
        self.summary = summary
        self.version = version
        self.sections = sections
        self.hidden = hidden
        self.ambiguities = ambiguities
    }

    package enum Invocation: Sendable {
        case run(any Command)
        /// A page or a line for standard output.
        case text(String)
    }

    private var commands: [any Command.Type] { sections.flatMap(\.commands) }

    /// What the given words, without the program's own name, ask for.
    package func invocation(of words: [String], style: HelpStyle = HelpStyle()) throws(UsageError) -> Invocation {
        guard let first = words.first, first != "--help", first != "-h" else { return .text(help(style)) }
        if first == "--version" || words == ["version"] { return .text("\(name) \(version)\n") }
        if first == "help" { return .text(try page(of: Array(words.dropFirst()), style)) }
        let options = words.prefix { $0 != "--" }
        if options.contains("--help") || options.contains("-h") {
            return .text(try page(of: options.filter { !$0.hasPrefix("-") }, style))
        }
        let (command, rest) = try command(in: words)
        return .run(try command.init(parsing: rest))
    }

    /// The sentence for a person who typed these words, and where to read on.
    package func explanation(of error: UsageError, in words: [String]) -> String {
        let known = (try? command(in: words).command.name) ?? words.first.flatMap { group($0).isEmpty ? nil : $0 }
        let page = [name, known, "--help"].compactMap(\.self).joined(separator: " ")
        let sentence = error.description
        return "\(name): \(sentence)\(sentence.hasSuffix("?") ? "" : ".")\n“\(page)” tells more.\n"
    }

    // MARK: Finding

    private func group(_ word: String) -> [any Command.Type] { commands.filter { $0.name.hasPrefix(word + " ") } }

    private func command(in words: [String]) throws(UsageError) -> (command: any Command.Type, rest: [String]) {
        let first = words.first ?? ""
        if let command = (commands + hidden).first(where: { $0.name == first }) {
            return (command, Array(words.dropFirst()))
        }
        let members = group(first)
        guard !members.isEmpty else { throw unknown(first, second: words.dropFirst().first) }
        let verbs = members.map { String($0.name.dropFirst(first.count + 1)) }
        guard let verb = words.dropFirst().first, !verb.hasPrefix("-") else {
            throw .incompleteCommand(first, choices: verbs)
        }
        guard let index = verbs.firstIndex(of: verb) else {
            let suggestion = closest(to: verb, in: verbs).map { "\(first) \($0)" }
            throw .unknownCommand("\(first) \(verb)", suggestion: suggestion)
        }
        return (members[index], Array(words.dropFirst(2)))
    }

    private func unknown(_ word: String, second: String?) -> UsageError {
        if let explanation = ambiguities[word] { return .ambiguousCommand(word, explanation: explanation) }
        if word.hasPrefix("-") { return .invalid("the command comes first, options such as \(word) after it") }
        let names = Set(commands.flatMap { [$0.name, String($0.name.prefix { $0 != " " })] }).sorted()
        // `kulanz redrive` and `kulanz list jobs`: the right verb without its group, or behind it.
        let byVerb = commands.filter { $0.name.hasSuffix(" " + word) }.map { $0.name }
        let turned = byVerb.first { $0 == "\(second ?? "") \(word)" }
        return .unknownCommand(
            word, suggestion: turned ?? (byVerb.count == 1 ? byVerb.first : nil) ?? closest(to: word, in: names))
    }

    // MARK: Help

    private func page(of words: [String], _ style: HelpStyle) throws(UsageError) -> String {
        guard let first = words.first else { return help(style) }
        let members = group(first)
        if !members.isEmpty, words.count == 1 { return page(of: first, members, style) }
        let (command, _) = try command(in: words)
        return Help(program: name, style: style).page(of: command)
    }

    private func page(of group: String, _ members: [any Command.Type], _ style: HelpStyle) -> String {
        let verbs = members.map { $0.name.dropFirst(group.count + 1) }.joined(separator: "|")
        let blocks =
            [["\(style.heading("Usage:")) \(name) \(group) \(verbs) [options]"]]
            + Help(program: name, style: style).list([CommandSection("Commands", members)])
            + [style.wrapped("“\(name) \(group) COMMAND --help” tells what each takes.")]
        return blocks.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
    }

    private func help(_ style: HelpStyle) -> String {
        let blocks =
            [style.wrapped(summary), ["\(style.heading("Usage:")) \(name) COMMAND [options]"]]
            + Help(program: name, style: style).list(sections)
            + [style.wrapped("“\(name) COMMAND --help” tells what each takes, with examples.")]
        return blocks.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
    }
}
