import Queue

/// When the one who makes a move goes away.
enum CrashPoint: Int, CaseIterable, Sendable {
    case none
    /// Before the call: it never runs.
    case before
    /// After the call ran and before its answer arrived.
    case after
}

/// How often each move met each crash point.
struct CrashCoverage: Sendable, CustomStringConvertible {
    /// Every script but the one that moves nothing.
    private static let moves = ScriptName.allCases.filter { $0 != .overview }
    private var counts: [ScriptName: [Int]] = [:]

    mutating func note(_ move: ScriptName, _ point: CrashPoint) {
        counts[move, default: [0, 0, 0]][point.rawValue] += 1
    }

    func has(_ move: ScriptName, _ point: CrashPoint) -> Bool { counts[move]?[point.rawValue] ?? 0 > 0 }

    mutating func add(_ other: CrashCoverage) {
        for (move, numbers) in other.counts {
            for index in numbers.indices { counts[move, default: [0, 0, 0]][index] += numbers[index] }
        }
    }

    /// The pairs that never ran.
    var missing: [String] {
        Self.moves.flatMap { move in
            CrashPoint.allCases.filter { counts[move, default: [0, 0, 0]][$0.rawValue] == 0 }.map { "\(move) \($0)" }
        }
    }

    var description: String {
        let rows = Self.moves.map { move in
            let numbers = counts[move, default: [0, 0, 0]].map { Self.right("\($0)", 8) }.joined()
            return Self.left(move.rawValue, 10) + numbers
        }
        return (["move          none  before   after"] + rows).joined(separator: "\n")
    }

    private static func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
