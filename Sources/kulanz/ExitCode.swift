/// How a command ended, in the numbers of sysexits(3), so that scripts can tell what to do next.
enum ExitCode: Int32 {
    case done = 0
    /// The words were wrong; nothing was tried.
    case usage = 64
    /// What was given can't be done as it is: a job with violations, a dead letter.
    case badData = 65
    case noSuchThing = 66
    /// Redis or Apple can't be reached.
    case unreachable = 69
    /// A fault of ours.
    case fault = 70
    /// The same again later may succeed.
    case tryAgain = 75
    case configuration = 78
}
