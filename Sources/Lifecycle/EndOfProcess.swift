import Foundation

/// Ends this process, and with it the children that still run.
///
/// Unlike `exit` it runs no destructor of any library: the loop and Swift's pool are still at work then, and what they
/// touch must not be torn down under them (one end in forty was a crash instead).
package func endProcess(_ code: Int32) -> Never {
    Children.shared.killAll()
    fflush(nil)
    _exit(code)
}
