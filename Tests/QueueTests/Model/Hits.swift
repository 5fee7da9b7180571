import Foundation
import Queue
import Redis
import Synchronization

/// Which branches of the scripts the walks took: asked for by KULANZ_TEST_BRANCHES=1, for the one who extends a walk.
enum Hits {
    static let isWanted = ProcessInfo.processInfo.environment["KULANZ_TEST_BRANCHES"] != nil
    private static let key = "test:branches"
    /// Each branch, and how often it was taken.
    private static let counts = Mutex<[String: Int64]>([:])

    /// The source with a counter at the beginning of each branch.
    static func counting(_ move: ScriptName, _ source: String) -> String {
        guard move != .overview else { return source }
        var lines = source.components(separatedBy: "\n")
        for index in lines.indices.dropFirst() {
            let text = lines[index]
            let word = text.split(separator: " ").first ?? ""
            guard ["if", "elseif", "else", "for", "local"].contains(word) else { continue }
            let name = "\(move) " + text.trimmingCharacters(in: .whitespaces).replacing("\\", with: "").prefix(110)
            let hit = " redis.call('HINCRBY', '\(key)', [==[\(name)]==], 1) "
            let opensBranch =
                word != "local" && text.contains(" then ") || text.hasSuffix(" then") || text.hasSuffix("else")
            guard opensBranch || text.hasPrefix("local function") && text.hasSuffix(")") else { continue }
            counts.withLock { $0[name] = $0[name] ?? 0 }
            if let range = word == "local"
                ? nil : text.range(of: " then ") ?? text.range(of: " then", options: [.anchored, .backwards])
            {
                lines[index].replaceSubrange(range, with: " then" + hit)
            } else {
                lines[index] += hit
            }
        }
        return lines.joined(separator: "\n")
    }

    static func gather(_ redis: RedisClient) async throws {
        let found = try await redis.send(["HGETALL", RedisWord(key)]).fields ?? [:]
        counts.withLock { counts in
            for (name, value) in found { counts[name, default: 0] += value.string.flatMap { Int64($0) } ?? 0 }
        }
    }

    /// Prints what was never reached.
    static func report() {
        let missed = counts.withLock { $0.filter { $0.value == 0 }.keys.sorted() }
        print("never reached:\n  " + missed.joined(separator: "\n  "))
    }
}
