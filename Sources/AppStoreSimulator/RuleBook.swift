/// The rules in force, and how often each has been met.
struct RuleBook: Sendable {
    /// What a rule looks at.
    struct Subject {
        let endpoint: Endpoint
        let bundleId: String
        let transactionId: String
        /// Nil as long as the body hasn't been read.
        var skus: [String]?
        var referenceId: String?
    }

    fileprivate struct Entry: Sendable {
        let rule: Rule
        /// Stays the same when others come and go.
        let number: UInt64
        var met: [String: Int] = [:]
        var applied = 0
    }

    private var entries: [Entry]
    private let seed: UInt64

    private var made: UInt64 = 0

    init(_ rules: [Rule], seed: UInt64) {
        entries = []
        self.seed = seed
        prepend(rules)
    }

    /// Newer rules go before older ones: who steers a running server means now.
    mutating func prepend(_ rules: [Rule]) {
        let fresh = rules.enumerated().map { Entry(rule: $1, number: made + UInt64($0)) }
        entries.insert(contentsOf: fresh, at: 0)
        made += UInt64(rules.count)
    }

    /// Takes away the rules of that name, or all.
    mutating func remove(named name: String?) { entries.removeAll { name == nil || $0.rule.name == name } }

    /// What is in force, first match first: name, what it does, how often it has done it.
    var summary: [(name: String, fault: String, applied: Int)] {
        entries.map { ($0.name, $0.rule.fault.name, $0.applied) }
    }

    /// The fault of the first rule that applies. Every rule whose conditions match counts the arrival, applied or not.
    mutating func fault(for subject: Subject) -> (fault: Fault, rule: String)? {
        var found: (Fault, String)?
        for index in entries.indices where entries[index].rule.matches(subject) {
            let applies = entries[index].meet(subject, seed: seed &+ entries[index].number)
            guard applies, found == nil, entries[index].applied < entries[index].rule.times else { continue }
            entries[index].applied += 1
            found = (entries[index].rule.fault, entries[index].name)
        }
        return found
    }

    /// Whether any rule acts on an arrival's head alone.
    var canCutBeforeBody: Bool { entries.contains { $0.rule.fault.moment == .beforeBody } }
}

extension RuleBook.Entry {
    fileprivate var name: String { rule.name ?? "rules[\(number)]" }

    /// Counts the arrival and says whether it is one of those the rule means.
    fileprivate mutating func meet(_ subject: RuleBook.Subject, seed: UInt64) -> Bool {
        let key =
            switch rule.count {
            case .rule: ""
            case .transaction: subject.bundleId + "\n" + subject.transactionId
            case .referenceId: subject.referenceId ?? ""
            }
        let number = met[key, default: 0] + 1
        met[key] = number
        guard number >= rule.from, number <= rule.to, (number - rule.from).isMultiple(of: rule.every) else {
            return false
        }
        guard rule.probability < 1 else { return true }
        // Drawn from the arrival's number, not from a running generator: the same run gives the same faults whatever
        // the other rules do.
        return Self.draw(seed: seed, number: UInt64(number), key: key) < rule.probability
    }

    /// SplitMix64 over FNV-1a of the key, as a number from 0 to below 1.
    private static func draw(seed: UInt64, number: UInt64, key: String) -> Double {
        let hash = key.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        var mixed = (seed &* 0x9E37_79B9_7F4A_7C15) ^ hash &+ number &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return Double(mixed >> 11) / Double(1 << 53)
    }
}

extension Rule {
    fileprivate func matches(_ subject: RuleBook.Subject) -> Bool {
        if let endpoint, endpoint != subject.endpoint { return false }
        if let bundleId, !bundleId.matches(subject.bundleId) { return false }
        if let transactionId, !transactionId.matches(subject.transactionId) { return false }
        guard let sku else { return true }
        return subject.skus?.contains(where: sku.matches) ?? false
    }
}
