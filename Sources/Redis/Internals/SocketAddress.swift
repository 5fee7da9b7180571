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

/// What a connection needs before its first packet.
struct Route: Sendable {
    /// In the order in which to try them.
    let addresses: [SocketAddress]
    /// Nil goes without TLS.
    let tls: TLSContext?
}

extension RedisEndpoint {
    /// Looks the name up and reads what TLS needs.
    func route() async -> Result<Route, Conversation.Fault> {
        switch address {
        case .unix(let path):
            guard let address = SocketAddress.unix(path) else {
                return .failure(.refused("\(self): the path is too long for a UNIX socket"))
            }
            return .success(Route(addresses: [address], tls: nil))
        case .tcp(let host, let port):
            // Both may block for long, so they have a thread of their own; a caller that gives up leaves it to end by
            // itself.
            return await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: route(to: host, port)) }
            }
        }
    }

    private func route(to host: String, _ port: UInt16) -> Result<Route, Conversation.Fault> {
        do throws(RedisTLSError) {
            let tls = try tls.map { tls throws(RedisTLSError) in try TLSContext(tls) }
            return AddressResolver.look(up: host, port).map { Route(addresses: $0, tls: tls) }
                .mapError { .refused("\(self): \($0.reason)") }
        } catch {
            return .failure(.insecure(error))
        }
    }
}

enum AddressResolver {
    struct Failure: Error, Sendable, Hashable { let reason: String }

    /// The addresses of `host`, in the order in which to try them. Blocks, at times for seconds.
    static func look(up host: String, _ port: UInt16) -> Result<[SocketAddress], Failure> {
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
