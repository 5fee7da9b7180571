/// Words in, values out: one pass from left to right.
struct Parser<Target> {
    private let arguments: [Argument<Target>]
    private var target: Target
    private var words: ArraySlice<String>
    private var given: Set<String> = []
    /// Those that still take words; the first one is next.
    private var positionals: ArraySlice<Argument<Target>>

    init(arguments: [Argument<Target>], target: Target, words: [String]) {
        self.arguments = arguments
        self.target = target
        self.words = words[...]
        positionals = arguments.filter { $0.shape == .positional }[...]
    }

    consuming func parsed() throws(UsageError) -> Target {
        while let word = words.popFirst() {
            if word == "--" {
                while let word = words.popFirst() { try takePositional(word) }
            } else if Self.isOption(word) {
                try takeOption(word)
            } else {
                try takePositional(word)
            }
        }
        let missing = arguments.filter { $0.isRequired && !given.contains($0.name) }
        guard missing.isEmpty else { throw .missing(missing.map(\.name)) }
        return target
    }

    /// A dash alone is a file, and a dash before a digit a number.
    private static func isOption(_ word: String) -> Bool {
        guard word.hasPrefix("-"), word != "-" else { return false }
        guard let second = word.dropFirst().first else { return false }
        return !(second.isASCII && (second.isNumber || second == "."))
    }

    private mutating func takeOption(_ word: String) throws(UsageError) {
        let (name, attached) = word.splitAtEquals
        guard let argument = arguments.first(where: { $0.shape != .positional && $0.name == name }) else {
            let names = arguments.filter { $0.shape != .positional }.map(\.name) + ["--help"]
            throw .unknownOption(name, suggestion: closest(to: name, in: names))
        }
        let isFirst = given.insert(name).inserted
        switch argument.shape {
        case .flag:
            guard attached == nil else { throw .unwantedValue(option: name) }
            try argument.assign(&target, nil)
        case .option:
            // The last of two amounts is a guess at somebody's money.
            guard isFirst || argument.repeats else { throw .repeated(option: name) }
            let value = if let attached { attached } else { try valueAfter(name) }
            try argument.assign(&target, value)
        case .optionWithOptionalValue:
            guard isFirst else { throw .repeated(option: name) }
            try argument.assign(&target, attached)
        case .positional: break
        }
    }

    /// A forgotten value must not swallow the option that follows.
    private mutating func valueAfter(_ name: String) throws(UsageError) -> String {
        guard let next = words.first, !Self.isOption(next), next != "--" else { throw .missingValue(option: name) }
        return words.removeFirst()
    }

    private mutating func takePositional(_ word: String) throws(UsageError) {
        guard let argument = positionals.first else { throw .unexpected(word) }
        try argument.assign(&target, word)
        given.insert(argument.name)
        if !argument.repeats { positionals.removeFirst() }
    }
}

extension String {
    fileprivate var splitAtEquals: (name: String, value: String?) {
        guard let equals = firstIndex(of: "=") else { return (self, nil) }
        return (String(self[..<equals]), String(self[index(after: equals)...]))
    }
}
