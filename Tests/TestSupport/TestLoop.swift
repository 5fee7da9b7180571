package import EventLoop

/// The loop that tests share, as the parts of one process do. A test that stalls a loop makes its own.
package enum TestLoop {
    package static let shared = EventLoop(name: "kulanz.tests")
}
