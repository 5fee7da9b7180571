import Redis
import Testing

@testable import Queue

@Suite struct `Scripts and the parts they need` {
    private static let names = ScriptPart.allCases.flatMap { functions(in: $0.source) }

    private static func functions(in source: String) -> [String] {
        source.matches(of: /(?m)^local function (\w+)/).map { String($0.1) }
    }

    private static func code(of source: String) -> String {
        source.split(separator: "\n").filter { !$0.hasPrefix("--") }.joined(separator: "\n")
    }

    @Test(arguments: ScriptName.allCases) func `each script has every function that it calls, once`(move: ScriptName) {
        let source = QueueScripts.standard[move].source
        let defined = Self.functions(in: source)
        #expect(defined.count == Set(defined).count)
        let words = Set(Self.code(of: source).matches(of: /(\w+)\(/).map { String($0.1) })
        #expect(words.intersection(Self.names).subtracting(defined) == [])
    }

    @Test(arguments: ScriptName.allCases) func `no script carries a part that nothing in it uses`(move: ScriptName) {
        let source = QueueScripts.standard[move].source
        for part in ScriptPart.allCases where part != .ground && source.contains(part.source) {
            let own = Self.functions(in: part.source)
            let rest = Self.code(of: source.replacing(part.source, with: ""))
            let words = Set(rest.matches(of: /(\w+)\(/).map { String($0.1) })
            #expect(!words.isDisjoint(with: own), "\(move) needs no \(part)")
        }
    }
}
