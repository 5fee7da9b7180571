#if canImport(Glibc)
    private import Glibc
#else
    private import Darwin
#endif

/// Writes each event as one line to a descriptor, standard error by default.
///
/// A line leaves in one `write`, so that the lines of processes that share a pipe don't mix. A log must never stop
/// the work: what a broken descriptor refuses is dropped.
package struct LineSink: LogSink {
    package let descriptor: Int32
    package let style: LogEvent.Style

    package init(descriptor: Int32 = 2, style: LogEvent.Style = .text) {
        self.descriptor = descriptor
        self.style = style
    }

    package func receive(_ event: LogEvent) { write(event.line(style)) }

    func write(_ text: String) {
        let line = Array((text + "\n").utf8)
        var sent = 0
        while sent < line.count {
            let count = line.withUnsafeBytes {
                Self.write(descriptor, $0.baseAddress?.advanced(by: sent), line.count - sent)
            }
            guard count < 0 else {
                sent += count
                continue
            }
            if errno == EINTR { continue }
            guard errno == EAGAIN, isWritable() else { return }
        }
    }

    private static func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
            Glibc.write(descriptor, bytes, count)
        #else
            Darwin.write(descriptor, bytes, count)
        #endif
    }

    /// Waits for a slow reader, but not for one that is gone or asleep.
    private func isWritable() -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&entry, 1, 1000) == 1 && entry.revents & Int16(POLLOUT) != 0
    }
}
