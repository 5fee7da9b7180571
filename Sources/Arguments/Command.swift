/// One command of a program: what it is called, what it takes, what it does.
package protocol Command: Sendable, SendableMetatype {
    /// The words after the program's name: `enqueue`, `jobs list`.
    static var name: String { get }

    /// One sentence; help lists it beside the name.
    static var summary: String { get }

    /// What one has to know before one uses it; paragraphs are parted by an empty line.
    static var discussion: String { get }

    static var arguments: [Argument<Self>] { get }
    static var examples: [Example] { get }

    init()

    /// Rules between arguments, checked before anything is done.
    func validate() throws(UsageError)

    func run() async throws
}

extension Command {
    package static var discussion: String { "" }
    package static var examples: [Example] { [] }
    package func validate() throws(UsageError) {}
}

extension Command {
    /// Reads a command from the words after its name; what is not named keeps its default.
    package init(parsing words: some Sequence<String>) throws(UsageError) {
        self = try Parser(arguments: Self.arguments, target: Self(), words: Array(words)).parsed()
        try validate()
    }
}
