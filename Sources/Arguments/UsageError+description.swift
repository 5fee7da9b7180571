extension UsageError: CustomStringConvertible {
    /// One sentence that says what is wrong and, where that is known, what was probably meant.
    package var description: String {
        switch self {
        case .unknownCommand(let word, let suggestion):
            "there is no command “\(word)”" + Self.meant(suggestion)
        case .incompleteCommand(let group, let choices):
            "“\(group)” needs to know what: \(Self.list(choices, "or"))"
        case .ambiguousCommand(_, let explanation): explanation
        case .unknownOption(let word, let suggestion):
            "there is no option \(word)" + Self.meant(suggestion)
        case .missingValue(let option):
            "\(option) needs a value (one that begins with a dash is written \(option)=VALUE)"
        case .unwantedValue(let option): "\(option) takes no value"
        case .unreadable(let word, let argument, let expectation, let suggestion):
            "\(argument) expects \(expectation), not “\(word)”" + Self.meant(suggestion)
        case .repeated(let option): "\(option) was given twice, and only one can be meant"
        case .unexpected(let word): "“\(word)” is one word too many"
        case .missing(let names): "\(Self.list(names, "and")) \(names.count == 1 ? "is" : "are") missing"
        case .invalid(let sentence): sentence
        }
    }

    private static func meant(_ suggestion: String?) -> String {
        suggestion.map { "; did you mean \($0)?" } ?? ""
    }

    private static func list(_ words: [String], _ conjunction: String) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " \(conjunction) " + last
    }
}
