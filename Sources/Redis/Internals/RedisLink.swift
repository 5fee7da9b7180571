import EventLoop
import Foundation

/// One connection: socket, codec and greeting. Confined to the loop; says what happened through `onEvent` and after
/// `.down` or `close()` nothing more.
final class RedisLink {
    enum Event: Sendable {
        case ready(runId: String?)
        case reply(RedisValue)
        case down(Conversation.Fault)
    }

    private enum Phase { case connecting, greeting, open, closed }

    private let loop: EventLoop
    private let onEvent: (Event) -> Void
    private let reader = ReplyReader()
    private let place: String
    private var greeting: Greeting
    private var greetingSize: UInt64 = 0
    private var phase = Phase.connecting
    private var addresses: ArraySlice<SocketAddress>
    private var descriptor: Int32 = -1
    private var watch: DescriptorWatch?
    private var output: [UInt8] = []
    private var outputHead = 0
    private var isBlocked = false
    private var total: UInt64 = 0

    /// How many bytes the socket has taken since the greeting.
    var written: UInt64 { total < greetingSize ? 0 : total - greetingSize }

    init(
        _ loop: EventLoop, to addresses: [SocketAddress], place: String, greeting: Greeting,
        _ onEvent: @escaping (Event) -> Void
    ) {
        self.loop = loop
        self.addresses = addresses[...]
        self.place = place
        self.greeting = greeting
        self.onEvent = onEvent
    }

    /// Begins with the first address; each next one is tried when the one before refused.
    func open() { connectToNext(lastReason: "it has no address") }

    private func connectToNext(lastReason: String) {
        guard let address = addresses.popFirst() else { return end(.refused("\(place): \(lastReason)")) }
        guard let descriptor = Descriptor.socket(family: address.family) else {
            return connectToNext(lastReason: Descriptor.reason(errno))
        }
        self.descriptor = descriptor
        switch Descriptor.connect(descriptor, to: address) {
        case 0: greet()
        case EINPROGRESS: watch(for: .writable)
        case let code:
            dropDescriptor()
            connectToNext(lastReason: Descriptor.reason(code))
        }
    }

    private func watch(for interest: DescriptorWatch.Readiness) {
        guard watch == nil else { return watch?.update(interest) ?? () }
        watch = loop.watch(descriptor, for: interest) { [weak self] readiness in self?.ready(readiness) }
        if watch == nil { end(.refused("\(place): the event loop can't watch the socket")) }
    }

    private func ready(_ readiness: DescriptorWatch.Readiness) {
        guard phase != .connecting else {
            let code = Descriptor.connectResult(descriptor)
            guard code == 0 else {
                dropDescriptor()
                return connectToNext(lastReason: Descriptor.reason(code))
            }
            return greet()
        }
        if readiness.contains(.writable) {
            isBlocked = false
            flush()
        }
        if phase != .closed, !readiness.isDisjoint(with: [.readable, .failed]) { read() }
    }

    private func greet() {
        phase = .greeting
        let bytes = greeting.bytes
        greetingSize = UInt64(bytes.count)
        watch(for: .readable)
        guard phase == .greeting else { return }
        write(bytes)
        flush()
    }

    // MARK: Writing

    /// Takes bytes for the next `flush()`.
    func write(_ bytes: [UInt8]) {
        if outputHead == output.count {
            output.removeAll(keepingCapacity: output.capacity < 1 << 20)
            outputHead = 0
        }
        output.append(contentsOf: bytes)
    }

    /// Hands as much as possible to the socket; the rest follows when it takes more.
    func flush() {
        guard phase == .greeting || phase == .open, !isBlocked else { return }
        while outputHead < output.count {
            switch output.withUnsafeBytes({ Descriptor.write(descriptor, .init(rebasing: $0[outputHead...])) }) {
            case .bytes(let count):
                outputHead += count
                total += UInt64(count)
            case .wouldBlock:
                isBlocked = true
                watch?.update([.readable, .writable])
                return
            case .failed(let code):
                // The server may have said why before it closed: "max number of clients", for instance.
                read()
                return end(fault(Descriptor.reason(code)))
            case .ended: return end(fault("the server closed the connection"))
            }
        }
        watch?.update(.readable)
    }

    // MARK: Reading

    private func read() {
        // Bounded, so that one busy connection can't keep the rest of the loop waiting.
        for _ in 0..<16 {
            let transfer = withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { buffer in
                let transfer = Descriptor.read(descriptor, into: buffer)
                if case .bytes(let count) = transfer { reader.feed(.init(rebasing: buffer[..<count])) }
                return transfer
            }
            switch transfer {
            case .bytes: deliver()
            case .wouldBlock: return
            case .ended: end(fault("the server closed the connection"))
            case .failed(let code): end(fault(Descriptor.reason(code)))
            }
            guard phase != .closed else { return }
        }
    }

    private func deliver() {
        while phase != .closed {
            do throws(RedisError) {
                guard let value = try reader.next() else { return }
                received(value)
            } catch {
                guard case .protocolError(let reason) = error else { return end(.lost) }
                return end(.garbage("\(place): \(reason)"))
            }
        }
    }

    private func received(_ value: RedisValue) {
        guard phase == .greeting else { return onEvent(.reply(value)) }
        switch greeting.reply(value) {
        case .unfinished: break
        case .refused(let error): end(.rejected(error))
        case .done(let runId):
            phase = .open
            onEvent(.ready(runId: runId))
        }
    }

    private func fault(_ reason: String) -> Conversation.Fault {
        phase == .open ? .lost : .refused("\(place): \(reason)")
    }

    // MARK: Ending

    private func end(_ fault: Conversation.Fault) {
        guard phase != .closed else { return }
        close()
        onEvent(.down(fault))
    }

    /// Closes without a further event; a second call does nothing.
    func close() {
        phase = .closed
        dropDescriptor()
    }

    private func dropDescriptor() {
        watch?.cancel()
        watch = nil
        if descriptor >= 0 { Foundation.close(descriptor) }
        descriptor = -1
    }

    deinit {
        guard descriptor >= 0 else { return }
        // An owner that forgot to close may be released on any thread, but a descriptor must not be closed before
        // the loop has stopped to watch it: its number could be another socket's by then.
        let remains = Remains(watch: watch, descriptor: descriptor)
        let domain = LoopDomain(loop)
        Task { await domain.run { _ in remains.dispose() } }
    }

    // @unchecked: handed over whole to the loop, which alone touches it from there on.
    private struct Remains: @unchecked Sendable {
        let watch: DescriptorWatch?
        let descriptor: Int32

        func dispose() {
            watch?.cancel()
            Foundation.close(descriptor)
        }
    }
}
