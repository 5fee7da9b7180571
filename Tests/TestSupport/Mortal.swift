/// A command that doesn't outlive the process that starts it, not even one that is killed with -9.
///
/// For servers that can't watch a leash. Linux alone can tell a process that its parent died (`PR_SET_PDEATHSIG`); the
/// thread that starts it counts as its parent there, so that has to be a loop that lives as long.
package struct Mortal: Sendable {
    package let program: String
    package let arguments: [String]

    /// What stands before a command that is to be mortal.
    package static let launcher: [String] = {
        #if os(Linux)
            ["setpriv", "--pdeathsig", "KILL"]
        #else
            []
        #endif
    }()

    package init(_ program: String, _ arguments: [String]) {
        let words = Self.launcher + [program] + arguments
        (self.program, self.arguments) = (words[0], Array(words.dropFirst()))
    }
}
