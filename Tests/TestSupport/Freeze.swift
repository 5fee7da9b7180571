import Foundation

/// Stops a child of this process as SIGSTOP does, and returns once none of its threads runs.
///
/// The signal alone stops it when one thread of its choice gets to run; on a busy machine the others go on for tens of
/// milliseconds. A child that has ended, or is none of ours, is not waited for.
package func freeze(_ pid: Int32) {
    guard pid > 0, kill(pid, SIGSTOP) == 0 else { return }
    var seen = siginfo_t()
    while waitid(P_PID, id_t(pid), &seen, Int32(WSTOPPED | WEXITED | WNOWAIT)) != 0, errno == EINTR {}
}
