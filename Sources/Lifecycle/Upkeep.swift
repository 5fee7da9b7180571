/// When a child that died is started again: at once, then after 1, 2, 4 … 30 s, and from the front once it has lived
/// for a minute. No task, no clock.
package struct Upkeep: Sendable {
    package enum Verdict: Sendable, Hashable {
        case again(after: Duration)
        /// It ends by itself right after each start; starting it again helps nobody.
        case giveUp
    }

    /// Ends by its own doing, each soon after the start, after which it is given up; nil never gives up.
    private let patience: Int?
    private var deaths = 0
    private var inARow = 0

    /// A life that is shorter than this was no life.
    package static let briefLife = Duration.seconds(10)
    /// After such a life what was before is forgotten.
    package static let longLife = Duration.seconds(60)
    package static let longestWait = Duration.seconds(30)

    package init(givesUpAfter patience: Int?) { self.patience = patience }

    /// - Parameter exit: how it ended; nil if it could not be started at all.
    package mutating func died(_ exit: ChildProcess.Exit?, after life: Duration) -> Verdict {
        if life >= Self.longLife { deaths = 0 }
        deaths += 1
        inARow = life < Self.briefLife && Self.isOwnDoing(exit) ? inARow + 1 : 0
        if let patience, inARow >= patience { return .giveUp }
        guard deaths > 1 else { return .again(after: .zero) }
        // Beyond five doublings the cap holds anyway.
        return .again(after: min(.seconds(1 << min(deaths - 2, 5)), Self.longestWait))
    }

    /// Whoever ends with a code says that it can't go on. A signal comes from outside (a person, the kernel when memory
    /// is short) and says nothing about the next life; nor does the code of an end that was asked for.
    private static func isOwnDoing(_ exit: ChildProcess.Exit?) -> Bool {
        switch exit {
        case .signal, .code(0): false
        case .code, nil: true
        }
    }
}
