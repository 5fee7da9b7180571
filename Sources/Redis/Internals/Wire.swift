import Foundation

/// The bytes of one connected socket, sealed where the endpoint asks for TLS. Confined to the loop.
///
/// The socket stays the caller's.
final class Wire {
    enum Transfer {
        case bytes(Int)
        case wouldBlock
        case ended
        case failed(Int32)
        case insecure(RedisTLSError)
    }

    private let descriptor: Int32
    private let session: TLSSession?
    /// Sealed bytes that the socket has not taken yet.
    private var sealed: [UInt8] = []
    private var sealedHead = 0
    /// How many of the caller's bytes are among `sealed`.
    private var underWay = 0
    /// What to report once the bytes before it are read.
    private var ending: Transfer?

    init(_ descriptor: Int32, _ session: TLSSession?) {
        self.descriptor = descriptor
        self.session = session
    }

    /// Whether TLS has something to say of its own accord: the answer to a key update, or an alert.
    var hasUnsent: Bool { session != nil && !settled }
    /// Whether there is something to read that the socket won't announce, because it was taken from it already.
    var hasUnread: Bool { session.map { ending != nil || !$0.isDry } ?? false }
    /// See `TLSSession`.
    var isAskedInVain: Bool { session?.isAskedInVain ?? false }

    private var settled: Bool {
        refill()
        return sealedHead == sealed.count
    }

    private func refill() {
        guard let session, sealedHead == sealed.count else { return }
        sealed = session.takeSealed()
        sealedHead = 0
    }

    // MARK: Shaking hands

    /// Goes on with the handshake as far as the socket allows; `.bytes(0)` once it is done, at once without TLS.
    func shakeHands() -> Transfer {
        guard let session else { return .bytes(0) }
        while true {
            let step = session.shakeHands()
            let sent = push()
            switch step {
            case .bytes: return .bytes(0)
            // Said to the end first: why we refuse is for the server's log, too.
            case .failed(let error): return .insecure(error)
            case .ended: return .ended
            case .starved:
                switch sent {
                case .bytes, .wouldBlock: break
                case .ended, .failed, .insecure:
                    // The server may have said why before it closed.
                    guard case .bytes = take(from: session) else { return sent }
                    continue
                }
            }
            guard case .bytes = take(from: session) else { return taken }
        }
    }

    /// What the last `take(from:)` came to.
    private var taken = Transfer.wouldBlock

    /// Moves what the socket has into the session.
    private func take(from session: TLSSession) -> Transfer {
        taken = withUnsafeTemporaryAllocation(byteCount: Self.swallow, alignment: 1) { buffer in
            let transfer = Descriptor.read(descriptor, into: buffer)
            if case .bytes(let count) = transfer { session.feed(.init(rebasing: buffer[..<count])) }
            return transfer
        }
        return taken
    }

    // MARK: Reading

    /// What is read at once. With half a record left from before it opens to less than `readSize`, so that one read
    /// always reaches the end of what was taken from the socket.
    private static let swallow = 40 << 10
    static let readSize = 64 << 10

    /// Fills the first bytes of `buffer`, which holds at least `readSize`. `.bytes(0)` means that something came, but
    /// nothing for us.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        guard let session else { return Descriptor.read(descriptor, into: buffer) }
        if let ending { return ending }
        if session.isDry {
            guard case .bytes = take(from: session) else { return taken }
        }
        var count = 0
        while count < buffer.count {
            switch session.read(into: .init(rebasing: buffer[count...])) {
            case .bytes(let more): count += more
            case .starved: return .bytes(count)
            case .ended: ending = .ended
            case .failed(let error): ending = .insecure(error)
            }
            if let ending { return count > 0 ? .bytes(count) : ending }
        }
        return .bytes(count)
    }

    // MARK: Writing

    /// Gives `.bytes` only for what the socket has taken whole: of a record that left in part the other side can read
    /// nothing. After `.wouldBlock` call it again with the same bytes in front.
    func write(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        guard let session else { return Descriptor.write(descriptor, bytes) }
        if underWay == 0 {
            switch session.write(.init(rebasing: bytes.prefix(TLSSession.record))) {
            case .bytes(let count): underWay = count
            case .starved: return .insecure(.failed("a write had to wait for a read"))
            case .ended: return .ended
            case .failed(let error): return .insecure(error)
            }
        }
        let sent = push()
        guard case .bytes = sent else { return sent }
        defer { underWay = 0 }
        return .bytes(underWay)
    }

    /// Hands everything sealed to the socket; `.bytes(0)` once nothing is left.
    func push() -> Transfer {
        while !settled {
            let sent = sealed.withUnsafeBytes { Descriptor.write(descriptor, .init(rebasing: $0[sealedHead...])) }
            guard case .bytes(let count) = sent else { return sent }
            sealedHead += count
        }
        return .bytes(0)
    }
}
