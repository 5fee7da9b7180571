import Foundation
import TestSupport

/// Plain calls on sockets of this machine, blocking unless said otherwise; a mistake traps, for it is the test's.
enum Socket {
    static func listen() -> (descriptor: Int32, port: UInt16) {
        let descriptor = make(AF_INET)
        var address = sockaddr_in.loopback()
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withAddress(&address) { bind(descriptor, $0, size) == 0 }
        precondition(isBound && Foundation.listen(descriptor, 512) == 0, "can't listen")
        return (descriptor, port(of: descriptor))
    }

    /// A port that refuses connections: taken, so that nobody else gets it, but not listened on. Close it in the end.
    static func refuse() -> (descriptor: Int32, port: UInt16) {
        let descriptor = make(AF_INET)
        var address = sockaddr_in.loopback()
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        precondition(withAddress(&address) { bind(descriptor, $0, size) } == 0)
        return (descriptor, port(of: descriptor))
    }

    static func port(of descriptor: Int32) -> UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        precondition(withAddress(&address) { getsockname(descriptor, $0, &size) } == 0)
        return UInt16(bigEndian: address.sin_port)
    }

    /// Nil when nobody listens.
    static func connect(port: UInt16) -> Int32? {
        let descriptor = make(AF_INET)
        var address = sockaddr_in.loopback(port)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        if withAddress(&address, { Foundation.connect(descriptor, $0, size) == 0 }) { return descriptor }
        close(descriptor)
        return nil
    }

    /// Nil when nobody listens.
    static func connect(path: String) -> Int32? {
        let descriptor = make(AF_UNIX)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        if withAddress(&address, { Foundation.connect(descriptor, $0, size) == 0 }) { return descriptor }
        close(descriptor)
        return nil
    }

    /// What is there, waiting for it; empty at the end, or when ten seconds have brought nothing.
    static func read(_ descriptor: Int32, upTo limit: Int = 65_536) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = max(0, recv(descriptor, buffer.baseAddress, limit, 0))
        }
    }

    /// False when the other side is gone.
    @discardableResult static func write(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Ends the connection with RST instead of FIN.
    static func reset(_ descriptor: Int32) {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        close(descriptor)
    }

    private static func make(_ family: Int32) -> Int32 {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        precondition(descriptor >= 0)
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout.size(ofValue: patience)))
        return descriptor
    }

    private static func withAddress<Address, Result>(
        _ address: inout Address, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
        }
    }
}
