import EventLoop
import Foundation

/// The reading end of a pipe, cut into lines. Confined to the loop.
final class LinePipe {
    private let descriptor: Int32
    private let lines: AsyncStream<String>.Continuation
    private var watch: DescriptorWatch?
    private var partial: [UInt8] = []

    init(_ loop: EventLoop, _ descriptor: Int32, _ lines: AsyncStream<String>.Continuation) {
        self.descriptor = descriptor
        self.lines = lines
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        // Strong: the pipe lives until its end, so that it is always closed on the loop, after its watch.
        watch = loop.watch(descriptor, for: .readable) { _ in self.read() }
    }

    private func read() {
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        let count = Foundation.read(descriptor, &chunk, chunk.count)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 else { return finish() }
        for byte in chunk[..<count] {
            guard byte == UInt8(ascii: "\n") else {
                partial.append(byte)
                continue
            }
            flush()
        }
    }

    private func flush() {
        lines.yield(String(decoding: partial, as: UTF8.self))
        partial.removeAll(keepingCapacity: true)
    }

    private func finish() {
        guard watch != nil else { return }
        watch?.cancel()
        watch = nil
        close(descriptor)
        if !partial.isEmpty { flush() }
        lines.finish()
    }
}
