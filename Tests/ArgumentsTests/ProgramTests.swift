import Arguments
import Testing

@Suite struct ProgramTests {
    private func text(_ words: String..., style: HelpStyle = HelpStyle()) throws -> String {
        guard case .text(let text) = try kitchen.invocation(of: words, style: style) else { return "" }
        return text
    }

    @Test func `a command is found by one word or by two`() throws {
        guard case .run(let cook) = try kitchen.invocation(of: ["cook", "soup", "--guest", "Ida"]),
            case .run(let show) = try kitchen.invocation(of: ["orders", "show", "7"])
        else { return #expect(Bool(false), "both must run") }
        #expect((cook as? Cook)?.dishes == ["soup"])
        #expect((show as? OrdersShow)?.id == 7)
    }

    @Test func `a hidden command is found by its exact word, and neither listed nor suggested`() throws {
        guard case .run(let scrub) = try kitchen.invocation(of: ["scrub"]) else {
            return #expect(Bool(false), "it must run")
        }
        #expect(scrub is Scrub)
        #expect(try !text("--help").contains("scrub"))
        #expect(throws: UsageError.unknownCommand("scrubb", suggestion: nil)) {
            try kitchen.invocation(of: ["scrubb"])
        }
    }

    @Test(arguments: [
        (["cok"], UsageError.unknownCommand("cok", suggestion: "cook")),
        (["order", "list"], .unknownCommand("order", suggestion: "orders")),
        (["orders", "shwo"], .unknownCommand("orders shwo", suggestion: "orders show")),
        (["withdraw", "7"], .unknownCommand("withdraw", suggestion: "orders withdraw")),
        (["list", "orders"], .unknownCommand("list", suggestion: "orders list")),
        (["orders"], .incompleteCommand("orders", choices: ["list", "show", "withdraw"])),
        (["orders", "--json"], .incompleteCommand("orders", choices: ["list", "show", "withdraw"])),
        (["--json", "cook"], .invalid("the command comes first, options such as --json after it")),
        (
            ["stop"],
            .ambiguousCommand(
                "stop", explanation: "“stop” could mean two things: “orders withdraw” or to turn off the stove")
        ),
    ])
    func `a wrong command is answered by the right one`(words: [String], expected: UsageError) {
        #expect(throws: expected) { try kitchen.invocation(of: words) }
    }

    @Test(arguments: [
        (["cok"], "kitchen: there is no command “cok”; did you mean cook?.\n“kitchen --help” tells more.\n"),
        (
            ["cook", "x", "--gest=1"],
            "kitchen: there is no option --gest; did you mean --guest?.\n“kitchen cook --help” tells more.\n"
        ),
        (
            ["orders"],
            "kitchen: “orders” needs to know what: list, show or withdraw.\n“kitchen orders --help” tells more.\n"
        ),
        (
            ["cook"],
            "kitchen: DISH and --guest are missing.\n“kitchen cook --help” tells more.\n"
        ),
    ])
    func `an error says what is wrong and where to read on`(words: [String], expected: String) throws {
        let error = try #require(throws: UsageError.self) { try kitchen.invocation(of: words) }
        #expect(kitchen.explanation(of: error, in: words) == expected.replacing("?.", with: "?"))
    }

    @Test func `help of a command teaches it`() throws {
        let page = """
            Cook dishes in the order in which they are named.

            Usage: kitchen cook --guest NAME [options] DISH...

            A dish that burns is cooked again, at most as often as was said, and then given
            to the cat with a note that says what happened.

            Nothing is served raw.

            Arguments:
              DISH...             What to cook.

            Options:
              --guest NAME        Who ordered.
              --heat LEVEL        How hot the stove is. One of: low, medium, high.
                                  Default: medium.
              --spice NAME        What to add to everything that is cooked, whoever ordered
                                  it. May be repeated.
              --tries N           How often a burnt dish is cooked again. Default: 2.
              --celsius DEGREES   Exact, where the level won't do.
              --wait[=STATE]      Come back only then.
              --salted yes|no     Must be said, since nobody can take it out again.

            Time:
              --within TIME       Give up afterwards.

            General:
              --config FILE       Where the kitchen is described.
              --json              One JSON object a line.
              --help              This page.

            Examples:
              kitchen cook soup bread --guest Ida
                  Two dishes for one guest.
              kitchen cook --guest Ida -- --odd-name
                  A dish whose name looks like an option.

            """
        #expect(try text("cook", "--help") == page)
        #expect(try text("help", "cook") == page)
        #expect(try text("cook", "soup", "--guest", "-h") == page)
    }

    @Test func `help of a group lists its commands`() throws {
        let page = """
            Usage: kitchen orders list|show|withdraw [options]

            Commands:
              orders list       Every open order.
              orders show       One order in full.
              orders withdraw   Take orders back before they are cooked.

            “kitchen orders COMMAND --help” tells what each takes.

            """
        #expect(try text("orders", "--help") == page)
        #expect(try text("help", "orders") == page)
    }

    @Test func `help of the program lists everything under headings`() throws {
        let page = """
            Cooks what is ordered.

            Usage: kitchen COMMAND [options]

            Cook:
              cook              Cook dishes in the order in which they are named.

            Look:
              orders list       Every open order.
              orders show       One order in full.
              orders withdraw   Take orders back before they are cooked.

            “kitchen COMMAND --help” tells what each takes, with examples.

            """
        #expect(try text("--help") == page)
        #expect(try text("help") == page)
        #expect(try text() == page)
    }

    @Test(arguments: [20, 40, 59, 60, 80, 100, 200])
    func `help keeps to the window, but never breaks a line to copy`(width: Int) throws {
        let limit = min(max(width, 30), 100)
        let page = try text("cook", "--help", style: HelpStyle(width: width))
        for line in page.split(separator: "\n") where !line.hasPrefix("  kitchen") {
            #expect(line.count <= limit, "\(line)")
        }
    }

    @Test func `headings stand out only where colour is wanted`() throws {
        #expect(try text("--help", style: HelpStyle(isColoured: true)).contains("\u{1B}[1mUsage:\u{1B}[0m"))
        #expect(try !text("--help").contains("\u{1B}"))
    }

    @Test func `the version is one line`() throws {
        #expect(try text("--version") == "kitchen 1.2.3\n")
        #expect(try text("version") == "kitchen 1.2.3\n")
    }

    @Test func `help about nothing known is an error like any other`() {
        #expect(throws: UsageError.unknownCommand("cok", suggestion: "cook")) {
            try kitchen.invocation(of: ["help", "cok"])
        }
    }
}
