/// A command that doesn't outlive the process that starts it, not even one that is killed with -9.
///
/// For servers that can't watch a leash. Linux alone can tell a process that its parent died (`PR_SET_PDEATHSIG`); the
/// thread that starts it counts as its parent there, so that has to be a loop that lives as long.
package struct Mortal: Sendable {
    package let program: String
    package let arguments: [String]

    package init(_ program: String, _ arguments: [String]) {
        #if os(Linux)
            (self.program, self.arguments) = ("setpriv", ["--pdeathsig", "KILL", program] + arguments)
        #else
            (self.program, self.arguments) = (program, arguments)
        #endif
    }
}
