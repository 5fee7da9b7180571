import Arguments
import Foundation
import Queue

/// Who acts, and why: every act of a person is in the ledger with both.
struct ActOption: Sendable {
    static let arguments: [Argument<Self>] = [
        .option("--why", "TEXT", \.why, "The reason, for the ledger; a terminal is asked for it."),
        .option("--as", "NAME", \.name, "Who acts; the login otherwise."),
    ]

    var why: String?
    var name: String?

    static var login: String {
        let variables = ProcessInfo.processInfo.environment
        // Behind sudo stands a person, and it is that person who acts.
        return variables["SUDO_USER"] ?? ProcessInfo.processInfo.userName
    }

    func act(isWhyNeeded: Bool = true) throws(UsageError) -> Act {
        var reason = why
        if reason == nil, isWhyNeeded { reason = Terminal.ask("Why? ") }
        if reason?.isEmpty ?? true, isWhyNeeded { throw .missing(["--why"]) }
        return Act(by: name ?? Self.login, why: reason ?? "")
    }
}
