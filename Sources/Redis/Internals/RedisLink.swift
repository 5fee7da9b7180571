import EventLoop
import Foundation

/// One connection: socket, TLS, codec and greeting. Confined to the loop; says what happened through `onEvent` and after
/// `.down` or `close()` nothing more.
final class RedisLink {
    enum Event: Sendable {
        case ready(runId: String?)
        case reply(RedisValue)
        case down(Conversation.Fault)
    }

    private enum Phase { case connecting, shakingHands, greeting, open, closed }

    private let loop: EventLoop
    private let onEvent: (Event) -> Void
    private let reader = ReplyReader()
    private let endpoint: RedisEndpoint
    private let tls: TLSContext?
    private var greeting: Greeting
    private var greetingSize: UInt64 = 0
    private var phase = Phase.connecting
    private var addresses: ArraySlice<SocketAddress>
    private var descriptor: Int32 = -1
    private var watch: DescriptorWatch?
    private var wire: Wire?
    /// What is read goes through here; made once, since one for each read would be cleared and given back each time.
    private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: Wire.readSize, alignment: 1)
    private var output: [UInt8] = []
    private var outputHead = 0
    private var isBlocked = false
    /// Whether the greeting got any answer.
    private var hasHeard = false
    private var total: UInt64 = 0

    /// How many bytes the socket has taken since the greeting.
    var written: UInt64 { total < greetingSize ? 0 : total - greetingSize }

    init(
        _ loop: EventLoop, to endpoint: RedisEndpoint, by route: Route, name: String,
        _ onEvent: @escaping (Event) -> Void
    ) {
        self.loop = loop
        self.endpoint = endpoint
        addresses = route.addresses[...]
        tls = route.tls
        greeting = Greeting(to: endpoint, name: name)
        self.onEvent = onEvent
    }

    /// Begins with the first address; each next one is tried when the one before refused.
    func open() { connectToNext(lastReason: "it has no address") }

    private func connectToNext(lastReason: String) {
        guard let address = addresses.popFirst() else { return end(.refused("\(endpoint): \(lastReason)")) }
        guard let descriptor = Descriptor.socket(family: address.family) else {
            return connectToNext(lastReason: Descriptor.reason(errno))
        }
        self.descriptor = descriptor
        switch Descriptor.connect(descriptor, to: address) {
        case 0: connected()
        case EINPROGRESS: watch(for: .writable)
        case let code:
            dropDescriptor()
            connectToNext(lastReason: Descriptor.reason(code))
        }
    }

    private func watch(for interest: DescriptorWatch.Readiness) {
        guard watch == nil else { return watch?.update(interest) ?? () }
        watch = loop.watch(descriptor, for: interest) { [weak self] readiness in self?.ready(readiness) }
        if watch == nil { end(.refused("\(endpoint): the event loop can't watch the socket")) }
    }

    private func ready(_ readiness: DescriptorWatch.Readiness) {
        guard phase != .connecting else {
            let code = Descriptor.connectResult(descriptor)
            guard code == 0 else {
                dropDescriptor()
                return connectToNext(lastReason: Descriptor.reason(code))
            }
            return connected()
        }
        guard phase != .shakingHands else { return shakeHands() }
        if readiness.contains(.writable) {
            isBlocked = false
            flush()
        }
        if phase != .closed, !readiness.isDisjoint(with: [.readable, .failed]) { read() }
    }

    private func connected() {
        phase = .shakingHands
        do throws(RedisTLSError) {
            wire = Wire(descriptor, try tls.map { tls throws(RedisTLSError) in try TLSSession(tls, host: host) })
        } catch {
            return end(.insecure(error))
        }
        watch(for: .readable)
        if phase == .shakingHands { shakeHands() }
    }

    private func shakeHands() {
        guard let wire else { return }
        switch wire.shakeHands() {
        case .bytes: greet()
        case .wouldBlock: watch?.update(wire.hasUnsent ? [.readable, .writable] : .readable)
        case .ended: end(fault("the server closed the connection"))
        case .failed(let code): end(fault(Descriptor.reason(code)))
        case .insecure(let error): end(.insecure(error))
        }
    }

    private func greet() {
        phase = .greeting
        let bytes = greeting.bytes
        greetingSize = UInt64(bytes.count)
        write(bytes)
        flush()
        // What came behind the handshake; the socket has nothing more to announce.
        if phase == .greeting, wire?.hasUnread == true { read() }
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
        guard phase == .greeting || phase == .open, !isBlocked, let wire else { return }
        while outputHead < output.count || wire.hasUnsent {
            let transfer =
                outputHead < output.count
                ? output.withUnsafeBytes { wire.write(.init(rebasing: $0[outputHead...])) } : wire.push()
            switch transfer {
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
            case .insecure(let error): return end(fault(error))
            }
        }
        watch?.update(.readable)
    }

    // MARK: Reading

    private func read() {
        guard let wire else { return }
        defer { if wire.hasUnsent { flush() } }
        // Bounded, so that one busy connection can't keep the rest of the loop waiting.
        for _ in 0..<16 {
            switch wire.read(into: input) {
            case .bytes(let count):
                reader.feed(.init(rebasing: input[..<count]))
                deliver()
                // The socket had no more, and says so when it has.
                if count < input.count, !wire.hasUnread { return }
            case .wouldBlock: return
            case .ended: end(fault("the server closed the connection"))
            case .failed(let code): end(fault(Descriptor.reason(code)))
            case .insecure(let error): end(fault(error))
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
                return end(.garbage("\(endpoint): \(reason)"))
            }
        }
    }

    private func received(_ value: RedisValue) {
        guard phase == .greeting else { return onEvent(.reply(value)) }
        hasHeard = true
        switch greeting.reply(value) {
        case .unfinished: break
        case .refused(let error): end(.rejected(error))
        case .done(let runId):
            phase = .open
            onEvent(.ready(runId: runId))
        }
    }

    /// What it means that the server has not answered for so long.
    func silence(of time: Duration) -> Conversation.Fault {
        phase == .shakingHands ? .insecure(.silent(time)) : .refused("\(endpoint): no answer within \(time)")
    }

    private func fault(_ reason: String) -> Conversation.Fault {
        switch phase {
        case .open: .lost
        case .shakingHands: .insecure(.cutOff(reason))
        // In TLS 1.3 a client learns only now what the server made of it, and not every server says why it goes.
        case .greeting where wire?.isAskedInVain == true: .insecure(.certificateWanted)
        // A server that wants TLS hangs up on whoever speaks without.
        case .greeting where endpoint.tls == nil && isOverTCP && !hasHeard:
            .refused("\(endpoint): \(reason) (if this port speaks TLS, write rediss://)")
        case .connecting, .greeting, .closed: .refused("\(endpoint): \(reason)")
        }
    }

    private func fault(_ error: RedisTLSError) -> Conversation.Fault { phase == .open ? .lost : .insecure(error) }

    private var host: String { if case .tcp(let host, _) = endpoint.address { host } else { "" } }
    private var isOverTCP: Bool { if case .tcp = endpoint.address { true } else { false } }

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
        wire = nil
        if descriptor >= 0 { Foundation.close(descriptor) }
        descriptor = -1
    }

    deinit {
        input.deallocate()
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
