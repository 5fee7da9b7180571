/// A part that scripts share: functions in a file of their own, put before each move that names it after `-- needs:`.
enum ScriptPart: String, CaseIterable {
    case ground, books, jobs, lanes, lines, claims, repeats, log, attempts, alarms, down, letters, suspects, lost,
        create

    /// The parts that a source names, in its order.
    static func needs(of source: String) -> [ScriptPart] {
        line(after: "-- needs: ", in: source).split(separator: " ").map(named)
    }

    /// The parts that a move needs only now and then, and the functions of theirs that it calls: `-- seldom: parts -> names`.
    static func seldom(of source: String) -> (needs: [ScriptPart], names: [Substring])? {
        let sides = line(after: "-- seldom: ", in: source).split(separator: " ->")
        guard sides.count == 2 else { return nil }
        return (sides[0].split(separator: " ").map(named), sides[1].split(separator: " "))
    }

    private static func line(after mark: String, in source: String) -> Substring {
        source.split(separator: "\n").first { $0.hasPrefix(mark) }?.dropFirst(mark.count) ?? ""
    }

    private static func named(_ name: Substring) -> ScriptPart {
        guard let part = ScriptPart(rawValue: String(name)) else { preconditionFailure("no part \(name)") }
        return part
    }

    /// Adds this part after all that it needs, unless it is there.
    func add(to parts: inout [ScriptPart]) {
        guard !parts.contains(self) else { return }
        for need in Self.needs(of: source) { need.add(to: &parts) }
        parts.append(self)
    }

    var source: String {
        let bytes =
            switch self {
            case .ground: PackageResources.ground_lua
            case .books: PackageResources.books_lua
            case .jobs: PackageResources.jobs_lua
            case .lanes: PackageResources.lanes_lua
            case .lines: PackageResources.lines_lua
            case .claims: PackageResources.claims_lua
            case .repeats: PackageResources.repeats_lua
            case .log: PackageResources.log_lua
            case .attempts: PackageResources.attempts_lua
            case .alarms: PackageResources.alarms_lua
            case .down: PackageResources.down_lua
            case .letters: PackageResources.letters_lua
            case .suspects: PackageResources.suspects_lua
            case .lost: PackageResources.lost_lua
            case .create: PackageResources.create_lua
            }
        return String(decoding: bytes, as: UTF8.self)
    }
}
