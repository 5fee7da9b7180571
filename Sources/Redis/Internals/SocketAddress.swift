import Foundation

/// An address as `connect` takes it.
struct SocketAddress: Sendable, Hashable {
    let family: Int32
    /// A `sockaddr` of that family, byte for byte.
    let bytes: [UInt8]

    static func unix(_ path: String) -> SocketAddress? {
        var address = sockaddr_un()
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < capacity else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return SocketAddress(family: AF_UNIX, bytes: withUnsafeBytes(of: &address) { Array($0) })
    }
}

extension RedisEndpoint {
    /// Where to connect to, in the order in which to try.
    func addresses() async -> Result<[SocketAddress], AddressResolver.Failure> {
        switch address {
        case .tcp(let host, let port): return await AddressResolver.resolve(host, port)
        case .unix(let path):
            guard let address = SocketAddress.unix(path) else {
                return .failure(.init(reason: "the path is too long for a UNIX socket"))
            }
            return .success([address])
        }
    }
}

enum AddressResolver {
    struct Failure: Error, Sendable, Hashable { let reason: String }

    /// The addresses of `host`, in the order in which to try them. `getaddrinfo` may block for seconds, so it has a
    /// thread of its own; a caller that gives up leaves that thread to end by itself.
    static func resolve(_ host: String, _ port: UInt16) async -> Result<[SocketAddress], Failure> {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: look(up: host, port)) }
        }
    }

    private static func look(up host: String, _ port: UInt16) -> Result<[SocketAddress], Failure> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Descriptor.stream
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &list)
        guard status == 0 else {
            return .failure(
                Failure(reason: "the name \(host) can't be resolved: \(String(cString: gai_strerror(status)))"))
        }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = list
        while let info = next?.pointee {
            let bytes = UnsafeRawBufferPointer(start: info.ai_addr, count: Int(info.ai_addrlen))
            addresses.append(SocketAddress(family: info.ai_family, bytes: Array(bytes)))
            next = info.ai_next
        }
        return .success(addresses)
    }
}
