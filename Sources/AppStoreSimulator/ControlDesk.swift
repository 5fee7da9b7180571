/// Steers a running simulator under `/_simulator/…`: what has happened, what is to go wrong from now on.
///
/// Calls here aren't journaled: they are no calls to Apple.
struct ControlDesk {
    static let prefix = "/_simulator"

    let method: String
    let path: String
    let query: String?
    let body: [UInt8]

    /// Nil when the path isn't the desk's.
    func answer(apple: inout Apple, journal: inout Journal, worstStall: StallMeter.Stall) -> Answer? {
        guard path == Self.prefix || path.hasPrefix(Self.prefix + "/") else { return nil }
        do throws(ScenarioError) {
            switch (method, path.dropFirst(Self.prefix.count)) {
            case ("GET", ""), ("GET", "/"): return .text(Self.help)
            case ("GET", "/report"): return report(of: journal, worstStall)
            case ("GET", "/journal"): return tail(of: journal)
            case ("GET", "/root.pem"): return .text(apple.rootPEM)
            case ("GET", "/rules"): return .json(.rules(apple.rules))
            case ("POST", "/rules"):
                apple.add(try Self.rules(from: body))
                return .json(.rules(apple.rules))
            case ("DELETE", "/rules"):
                apple.removeRules(named: parameter("name"))
                return .json(.rules(apple.rules))
            case ("POST", "/scenario"):
                apple.adopt(try Scenario(json5: body))
                return .json(.rules(apple.rules))
            case ("POST", "/reset"):
                apple.forget()
                journal.forget()
                return .json(.members(["reset": .bool(true)]))
            default: return .text("No such thing.\n\n" + Self.help, status: 404)
            }
        } catch {
            return .json(.members(["error": .string(error.description)]), status: 400)
        }
    }

    static let help = """
        GET    /_simulator/report          what the journal proves so far (?format=text for people)
        GET    /_simulator/journal?last=N  the latest lines of the journal, oldest first
        GET    /_simulator/root.pem        the root that signed payloads hang on
        GET    /_simulator/rules           the rules in force and how often each has applied
        POST   /_simulator/rules           one rule or a list (JSON5); they go before the others
        DELETE /_simulator/rules?name=X    takes away the rules of that name; without a name all
        POST   /_simulator/scenario        another scenario (JSON5) from now on; the book of refunds stays
        POST   /_simulator/reset           no refund taken, no id used, no arrival counted

        """

    private func report(of journal: Journal, _ worst: StallMeter.Stall) -> Answer {
        let audit = JournalAudit(journal.recent + [.stop(worst)])
        guard parameter("format") != "text" else { return .text(audit.text) }
        guard case .object(let members) = audit.json else { return .json(audit.json) }
        return .json(.object(members + [.init(name: "forgottenLines", value: .int(journal.forgotten))]))
    }

    private func tail(of journal: Journal) -> Answer {
        let count = parameter("last").flatMap(Int.init) ?? 100
        var bytes: [UInt8] = []
        for line in journal.recent.suffix(max(0, count)) {
            line.json.write(to: &bytes)
            bytes.append(UInt8(ascii: "\n"))
        }
        return Answer(status: 200, contentType: "application/jsonl", body: bytes)
    }

    private static func rules(from bytes: [UInt8]) throws(ScenarioError) -> [Rule] {
        let isList = bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "[")
        return isList ? try readJSON5([Rule].self, from: bytes) : [try readJSON5(Rule.self, from: bytes)]
    }

    /// The value of a query parameter as it was sent; names of rules are plain words.
    private func parameter(_ name: String) -> String? {
        for pair in (query ?? "").split(separator: "&") where pair.hasPrefix(name + "=") {
            return String(pair.dropFirst(name.count + 1))
        }
        return nil
    }
}

extension JSONValue {
    fileprivate static func rules(_ rules: RuleBook) -> JSONValue {
        .members([
            "rules": .array(
                rules.summary.map {
                    .members(["name": .string($0.name), "then": .string($0.fault), "applied": .int($0.applied)])
                })
        ])
    }
}

extension Answer {
    fileprivate static func json(_ value: JSONValue, status: Int = 200) -> Answer {
        Answer(status: status, contentType: "application/json", body: value.bytes + [UInt8(ascii: "\n")])
    }

    fileprivate static func text(_ text: String, status: Int = 200) -> Answer {
        Answer(status: status, contentType: "text/plain;charset=utf-8", body: Array(text.utf8))
    }
}
