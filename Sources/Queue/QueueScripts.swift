package import Redis

/// A move of a job between two places: one Lua script, one word.
///
/// The same word names the script, the function that calls it and the arrow in docs/states.md.
package enum ScriptName: String, CaseIterable, Sendable {
    case enqueue, adopt, lease, renew, settle, postpone, hold, bury, release, reclaim, withdraw, redrive, discard
    case block, pause, resume
    /// These move nothing.
    case overview, audit
}

/// The moves' scripts, as this version of the program has them.
///
/// A script's identity is the SHA-1 of its source, so workers of two versions live side by side.
package struct QueueScripts: Sendable {
    private let scripts: [ScriptName: RedisScript]

    package static let standard = QueueScripts { $1 }

    /// `edit` may change each source before its identity is taken: tests use it to give scripts a clock of their own
    /// and to plant faults in them. What comes out as it is in `base` is taken from there, its identity with it.
    package init(reusing base: QueueScripts? = nil, edit: (ScriptName, String) -> String) {
        var scripts: [ScriptName: RedisScript] = [:]
        for move in ScriptName.allCases {
            let source = edit(move, Self.assemble(move))
            if let known = base?.scripts[move], known.source == source {
                scripts[move] = known
            } else {
                scripts[move] = RedisScript(name: move.rawValue, source: source)
            }
        }
        self.scripts = scripts
    }

    package subscript(move: ScriptName) -> RedisScript {
        guard let script = scripts[move] else { preconditionFailure("\(move) has no script") }
        return script
    }

    /// The script's first line (it names the engine and the flags), then what it stands on, then the move itself.
    private static func assemble(_ move: ScriptName) -> String {
        let text = source(of: move)
        let end = text.firstIndex(of: "\n") ?? text.endIndex
        var parts: [ScriptPart] = []
        for part in [.ground] + ScriptPart.needs(of: text) { part.add(to: &parts) }
        // A function of its own around all but the ground: what the functions in it use of the ground is then found at
        // once, where Lua would else search its list of open variables for each.
        let rest = parts.dropFirst().map(\.source).joined() + seldom(of: text, beside: parts) + text[end...]
        return text[..<end] + "\n\(ScriptPart.ground.source)return (function()\n\(rest)\nend)()\n"
    }

    /// What a move needs only now and then, after `-- seldom:`, as one function that makes and returns it: to make all
    /// of a script's functions in every call takes longer than most moves.
    private static func seldom(of text: String, beside parts: [ScriptPart]) -> String {
        guard let (needs, names) = ScriptPart.seldom(of: text) else { return "" }
        var all = parts
        for part in needs { part.add(to: &all) }
        let sources = all.dropFirst(parts.count).map(\.source).joined()
        return "local function seldom()\n\(sources)return \(names.joined(separator: ", "))\nend\n"
    }

    private static func source(of move: ScriptName) -> String {
        let bytes =
            switch move {
            case .enqueue: PackageResources.enqueue_lua
            case .adopt: PackageResources.adopt_lua
            case .lease: PackageResources.lease_lua
            case .renew: PackageResources.renew_lua
            case .settle: PackageResources.settle_lua
            case .postpone: PackageResources.postpone_lua
            case .hold: PackageResources.hold_lua
            case .bury: PackageResources.bury_lua
            case .release: PackageResources.release_lua
            case .reclaim: PackageResources.reclaim_lua
            case .withdraw: PackageResources.withdraw_lua
            case .redrive: PackageResources.redrive_lua
            case .discard: PackageResources.discard_lua
            case .block: PackageResources.block_lua
            case .pause: PackageResources.pause_lua
            case .resume: PackageResources.resume_lua
            case .overview: PackageResources.overview_lua
            case .audit: PackageResources.audit_lua
            }
        return String(decoding: bytes, as: UTF8.self)
    }
}
