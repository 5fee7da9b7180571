import Arguments

/// A small program that uses every kind of argument, for the tests of this folder.
let kitchen = Program(
    name: "kitchen", summary: "Cooks what is ordered.", version: "1.2.3",
    sections: [
        CommandSection("Cook", [Cook.self]),
        CommandSection("Look", [OrdersList.self, OrdersShow.self, OrdersWithdraw.self]),
    ],
    hidden: [Scrub.self],
    ambiguities: ["stop": "“stop” could mean two things: “orders withdraw” or to turn off the stove"])

enum Heat: String, ArgumentValue, CaseIterable {
    case low, medium, high
}

struct Shared: Sendable, Equatable {
    static let arguments: [Argument<Self>] = [
        .option("--config", "FILE", \.config, "Where the kitchen is described."),
        .flag("--json", \.isJSON, "One JSON object a line."),
    ]

    var config: String?
    var isJSON = false
}

struct Cook: Command {
    static let name = "cook"
    static let summary = "Cook dishes in the order in which they are named."
    static let discussion = """
        A dish that burns is cooked again, at most as often as was said, and then given to the cat with a note that
        says what happened.

        Nothing is served raw.
        """
    static let arguments: [Argument<Self>] =
        [
            .positional("DISH", \.dishes, "What to cook.").required,
            .option("--guest", "NAME", \.guest, "Who ordered.").required,
            .option("--heat", "LEVEL", \.heat, "How hot the stove is."),
            .option("--spice", "NAME", \.spices, "What to add to everything that is cooked, whoever ordered it."),
            .option("--tries", "N", \.tries, "How often a burnt dish is cooked again."),
            .option("--celsius", "DEGREES", \.celsius, "Exact, where the level won't do."),
            .option("--wait", "STATE", \.wait, bare: "served", "Come back only then."),
            .option("--salted", "yes|no", \.isSalted, "Must be said, since nobody can take it out again."),
        ] + [.option("--within", "TIME", \.limit, "Give up afterwards.")].titled("Time")
        + Shared.arguments.within(\.shared).titled("General")
    static let examples = [
        Example("cook soup bread --guest Ida", "Two dishes for one guest."),
        Example("cook --guest Ida -- --odd-name", "A dish whose name looks like an option."),
    ]

    var dishes: [String] = []
    var guest: String?
    var heat = Heat.medium
    var spices: [String] = []
    var tries = 2
    var celsius: Double?
    var wait: String?
    var isSalted: Bool?
    var limit: Duration?
    var shared = Shared()

    func validate() throws(UsageError) {
        if celsius != nil, heat != .medium { throw .invalid("--celsius and --heat exclude each other") }
    }

    func run() async throws {}
}

struct OrdersList: Command {
    static let name = "orders list"
    static let summary = "Every open order."
    static let arguments: [Argument<Self>] = []
    func run() async throws {}
}

struct OrdersShow: Command {
    static let name = "orders show"
    static let summary = "One order in full."
    static let arguments: [Argument<Self>] = [.positional("ID", \.id, "Which one.").required]
    var id: Int?
    func run() async throws {}
}

struct OrdersWithdraw: Command {
    static let name = "orders withdraw"
    static let summary = "Take orders back before they are cooked."
    static let arguments: [Argument<Self>] = [.positional("ID", \.ids, "Which ones.")]
    var ids: [Int] = []
    func run() async throws {}
}

/// What the kitchen does by itself.
struct Scrub: Command {
    static let name = "scrub"
    static let summary = "Clean up."
    static let arguments: [Argument<Self>] = []

    func run() async throws {}
}
