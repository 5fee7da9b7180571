import Foundation
package import Redis

/// A real redis-server with a TLS port beside its socket, and the authority that vouches for it.
package struct TLSRedis: Sendable {
    package let redis: TestRedis
    package let authority: TestAuthority
    package let port: UInt16
    /// Where the certificates are; the server's own folder is another.
    package let folder: TemporaryFolder

    /// The TLS port as a client sees it that trusts the authority.
    package var endpoint: RedisEndpoint { endpoint() }

    package func endpoint(_ host: String = "localhost", tls: RedisTLS? = nil) -> RedisEndpoint {
        RedisEndpoint(.tcp(host: host, port: port), tls: tls ?? RedisTLS(caFile: authority.caFile))
    }
}

/// - Parameters:
///   - names: what the server's certificate is for.
///   - configuration: further lines of redis.conf, such as `tls-auth-clients yes`.
package func withTLSRedis<Result>(
    names: String = "DNS:localhost,IP:127.0.0.1",
    validity: (from: String, until: String) = ("20200101000000Z", "20991231000000Z"),
    configuration: [String] = [], persistence: PrivateRedis.Persistence = .none,
    _ body: (TLSRedis) async throws -> Result
) async throws -> Result {
    try await withTLSDoor(names: names, validity: validity) { door in
        try await withRedis(persistence: persistence, configuration: door.configuration + configuration) { redis in
            try await body(
                TLSRedis(redis: redis, authority: door.authority, port: door.port, folder: door.folder))
        }
    }
}

/// What makes a redis-server of any world speak TLS.
package struct TLSDoor: Sendable {
    package let authority: TestAuthority
    package let port: UInt16
    package let folder: TemporaryFolder
    /// Lines of redis.conf.
    package let configuration: [String]
}

package func withTLSDoor<Result>(
    names: String = "DNS:localhost,IP:127.0.0.1",
    validity: (from: String, until: String) = ("20200101000000Z", "20991231000000Z"),
    _ body: (TLSDoor) async throws -> Result
) async throws -> Result {
    try await withTemporaryFolder { folder in
        let authority = try await TestAuthority(in: folder)
        let certificate = try await authority.issue("server", for: names, validity: validity)
        return try await onFreePort { port in
            try await body(
                TLSDoor(
                    authority: authority, port: port, folder: folder,
                    configuration: [
                        "tls-port \(port)", "tls-cert-file \(certificate.file)",
                        "tls-key-file \(certificate.keyFile)", "tls-ca-cert-file \(authority.caFile)",
                        "tls-auth-clients no",
                    ]))
        }
    }
}

/// redis-server can't choose a port by itself; one that was free a moment ago may be taken, and then another is tried.
private func onFreePort<Result>(_ body: (UInt16) async throws -> Result) async throws -> Result {
    for _ in 0..<10 {
        do {
            return try await body(try freePort())
        } catch PrivateRedisError.notStarted(let reason) where reason.contains("already in use") {
            continue
        }
    }
    return try await body(try freePort())
}

private func freePort() throws -> UInt16 {
    #if os(Linux)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
            guard bind(descriptor, pointer, size) == 0 else { return Int32(-1) }
            return getsockname(descriptor, pointer, &size)
        }
    }
    guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    return UInt16(bigEndian: address.sin_port)
}
