import CCurl
import Foundation

/// Both ends of a connection, which tell it from every other that is open. A local port alone doesn't: the system gives
/// the same one to connections that lead elsewhere.
struct ConnectionEnds: Hashable {
    private let local: String
    private let remote: String

    /// As libcurl tells them to `CURLOPT_PREREQFUNCTION`.
    init?(
        remoteAddress: UnsafePointer<CChar>?, localAddress: UnsafePointer<CChar>?, remotePort: Int32, localPort: Int32
    ) {
        guard let remoteAddress, let localAddress, localPort > 0 else { return nil }
        local = "\(String(cString: localAddress)) \(localPort)"
        remote = "\(String(cString: remoteAddress)) \(remotePort)"
    }

    /// Nil for a socket that isn't connected by IP.
    init?(of socket: curl_socket_t) {
        guard let local = Self.end({ getsockname(socket, $0, $1) }),
            let remote = Self.end({ getpeername(socket, $0, $1) })
        else { return nil }
        (self.local, self.remote) = (local, remote)
    }

    private static func end(
        _ ask: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> String? {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &address) { pointer in
            let isTold = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask($0, &size) == 0 }
            guard isTold else { return nil }
            switch Int32(pointer.pointee.ss_family) {
            case AF_INET:
                return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    words(AF_INET, &$0.pointee.sin_addr, $0.pointee.sin_port)
                }
            case AF_INET6:
                return pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    words(AF_INET6, &$0.pointee.sin6_addr, $0.pointee.sin6_port)
                }
            default: return nil
            }
        }
    }

    private static func words(_ family: Int32, _ address: UnsafeRawPointer, _ port: in_port_t) -> String? {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(family, address, &text, socklen_t(text.count)) != nil else { return nil }
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return "\(String(decoding: bytes, as: UTF8.self)) \(UInt16(bigEndian: port))"
    }
}
