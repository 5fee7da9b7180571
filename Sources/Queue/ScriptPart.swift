/// A part that scripts share: functions in a file of their own, put before each move that names it after `-- needs:`.
enum ScriptPart: String, CaseIterable {
    case ground, books, jobs, lanes, lines, claims, repeats, attempts, alarms, down, letters, suspects, lost, create

    /// The parts that a source names, in its order.
    static func needs(of source: String) -> [ScriptPart] {
        source.split(separator: "\n").filter { $0.hasPrefix("-- needs: ") }.flatMap { line in
            line.dropFirst("-- needs: ".count).split(separator: " ").map { name in
                guard let part = ScriptPart(rawValue: String(name)) else { preconditionFailure("no part \(name)") }
                return part
            }
        }
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
