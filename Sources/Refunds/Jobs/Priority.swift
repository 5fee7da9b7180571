/// Which lane of its app a job waits in; the most urgent first.
package enum Priority: String, Sendable, Hashable, CaseIterable, Comparable {
    /// An agent has the customer on the line.
    case urgent
    case normal
    /// Campaigns and clean-ups, thousands at once.
    case bulk

    /// 0 for the most urgent.
    package var rank: Int {
        switch self {
        case .urgent: 0
        case .normal: 1
        case .bulk: 2
        }
    }

    /// The less urgent is the smaller.
    package static func < (left: Priority, right: Priority) -> Bool { left.rank > right.rank }
}
