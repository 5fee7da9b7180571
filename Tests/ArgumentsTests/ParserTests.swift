import Arguments
import Testing

@Suite struct ParserTests {
    private func cook(_ line: String) throws(UsageError) -> Cook {
        try Cook(parsing: line.split(separator: " ").map(String.init))
    }

    @Test func `what is not named keeps its default`() throws {
        let cook = try cook("soup --guest Ida")
        #expect(cook.dishes == ["soup"])
        #expect(cook.guest == "Ida")
        #expect(cook.heat == .medium)
        #expect(cook.tries == 2)
        #expect(cook.limit == nil)
        #expect(cook.shared == Shared())
    }

    @Test func `options stand anywhere, with a blank or an equals sign`() throws {
        let cook = try cook("--guest=Ida soup --heat low --tries=5 bread --json --config k.json5 --within 1.5m")
        #expect(cook.dishes == ["soup", "bread"])
        #expect(cook.heat == .low)
        #expect(cook.tries == 5)
        #expect(cook.shared.isJSON)
        #expect(cook.shared.config == "k.json5")
        #expect(cook.limit == .seconds(90))
    }

    @Test func `a repeatable option collects, in order`() throws {
        #expect(try cook("soup --guest Ida --spice salt --spice=pepper").spices == ["salt", "pepper"])
    }

    @Test func `an option that is single is refused the second time`() {
        #expect(throws: UsageError.repeated(option: "--tries")) { try cook("soup --guest Ida --tries 1 --tries 2") }
        #expect(throws: UsageError.repeated(option: "--wait")) { try cook("soup --guest Ida --wait --wait=done") }
    }

    @Test func `an optional value comes with an equals sign or not at all`() throws {
        #expect(try cook("--guest Ida --wait soup").wait == "served")
        #expect(try cook("--guest Ida --wait soup").dishes == ["soup"])
        #expect(try cook("--guest Ida --wait=cooked soup").wait == "cooked")
        #expect(try cook("--guest Ida soup").wait == nil)
    }

    @Test func `a forgotten value doesn't swallow the next option`() {
        #expect(throws: UsageError.missingValue(option: "--guest")) { try cook("soup --guest --json") }
        #expect(throws: UsageError.missingValue(option: "--guest")) { try cook("soup --guest") }
        #expect(throws: UsageError.missingValue(option: "--guest")) { try cook("soup --guest -- x") }
    }

    @Test func `a value may begin with a dash behind an equals sign, and may be empty`() throws {
        #expect(try cook("soup --guest=--json").guest == "--json")
        #expect(try cook("soup --guest=").guest == "")
        #expect(try cook("soup --guest=a=b").guest == "a=b")
    }

    @Test func `negative numbers are values and a dash alone is a word`() throws {
        let cook = try cook("- --guest Ida --celsius -4.5 -7")
        #expect(cook.celsius == -4.5)
        #expect(cook.dishes == ["-", "-7"])
    }

    @Test func `after two dashes every word is a value`() throws {
        #expect(try cook("--guest Ida -- --json -x --").dishes == ["--json", "-x", "--"])
    }

    @Test func `everything that is missing is named at once`() {
        #expect(throws: UsageError.missing(["DISH", "--guest"])) { try cook("--json") }
    }

    @Test(arguments: [
        (
            "--heat meduim",
            UsageError.unreadable(
                "meduim", argument: "--heat", expectation: "one of low, medium, high", suggestion: "medium")
        ),
        ("--tries two", .unreadable("two", argument: "--tries", expectation: "a whole number", suggestion: nil)),
        (
            "--tries 99999999999999999999",
            .unreadable(
                "99999999999999999999", argument: "--tries", expectation: "a whole number", suggestion: nil)
        ),
        ("--celsius nan", .unreadable("nan", argument: "--celsius", expectation: "a number", suggestion: nil)),
        ("--salted true", .unreadable("true", argument: "--salted", expectation: "yes or no", suggestion: nil)),
        ("--gest Ida", .unknownOption("--gest", suggestion: "--guest")),
        ("--hepl", .unknownOption("--hepl", suggestion: "--help")),
        ("--zzzzzz", .unknownOption("--zzzzzz", suggestion: nil)),
        ("-j", .unknownOption("-j", suggestion: nil)),
        ("--json=yes", .unwantedValue(option: "--json")),
    ])
    func `a wrong word is refused by name`(words: String, expected: UsageError) {
        #expect(throws: expected) { try cook("soup " + words) }
    }

    @Test func `a single positional takes one word`() throws {
        #expect(try OrdersShow(parsing: ["4711"]).id == 4711)
        #expect(throws: UsageError.unexpected("4712")) { try OrdersShow(parsing: ["4711", "4712"]) }
        #expect(throws: UsageError.missing(["ID"])) { try OrdersShow(parsing: []) }
    }

    @Test func `a command checks the rules between its arguments`() {
        #expect(throws: UsageError.invalid("--celsius and --heat exclude each other")) {
            try cook("soup --guest Ida --celsius 80 --heat low")
        }
    }
}
