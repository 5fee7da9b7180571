import Foundation
package import Telemetry

/// Where a Redis server is and who we are there. Printing it never shows the password.
package struct RedisEndpoint: Sendable, Hashable {
    package enum Address: Sendable, Hashable {
        case tcp(host: String, port: UInt16)
        case unix(path: String)
    }

    package var address: Address
    package var username: String?
    package var password: Secret<String>?
    package var database: Int
    /// Nil speaks in the clear, as over a UNIX socket always.
    package var tls: RedisTLS?

    package init(
        _ address: Address, username: String? = nil, password: Secret<String>? = nil, database: Int = 0,
        tls: RedisTLS? = nil
    ) {
        self.address = address
        self.username = username
        self.password = password
        self.database = database
        self.tls = tls
    }

    package static func tcp(_ host: String, _ port: UInt16 = 6379) -> Self { Self(.tcp(host: host, port: port)) }
    package static func unix(_ path: String) -> Self { Self(.unix(path: path)) }

    /// Reads `redis://[user[:password]@]host[:port][/database]`, the same with `rediss://` for TLS,
    /// `redis+unix:///path[?db=N]` or `unix:/path`. User and password may be percent-encoded.
    package init(url text: String) throws(RedisURLError) {
        if let path = text.dropping(prefix: "unix:"), !path.isEmpty {
            self.init(.unix(path: path.dropping(prefix: "//") ?? path))
            return
        }
        guard let separator = text.firstRange(of: "://") else { throw .unreadable }
        switch text[..<separator.lowerBound].lowercased() {
        case "redis": try self.init(rest: text[separator.upperBound...])
        case "redis+unix": try self.init(unix: text[separator.upperBound...])
        case "rediss":
            try self.init(rest: text[separator.upperBound...])
            tls = RedisTLS()
        case "redis+sentinel", "rediss+sentinel", "redis-sentinel", "rediss-sentinel", "sentinel":
            throw .comesLater("Redis Sentinel")
        case "redis+cluster", "rediss+cluster", "redis-cluster", "rediss-cluster", "cluster":
            throw .comesLater("Redis Cluster")
        default: throw .unknownScheme(String(text[..<separator.lowerBound]))
        }
    }

    private init(unix rest: Substring) throws(RedisURLError) {
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let (login, path) = try Self.splitLogin(parts[0])
        guard let path = path.removingPercentEncoding, path.hasPrefix("/") else { throw .missingPath }
        self.init(.unix(path: path), username: login.user, password: login.password)
        guard parts.count == 2 else { return }
        for pair in parts[1].split(separator: "&") {
            guard let number = pair.dropping(prefix: "db="), let database = Int(number), database >= 0 else {
                throw .badDatabase
            }
            self.database = database
        }
    }

    private init(rest: Substring) throws(RedisURLError) {
        guard !rest.contains("?"), !rest.contains("#") else { throw .unreadable }
        let parts = rest.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let (login, place) = try Self.splitLogin(parts[0])
        guard !place.contains(",") else { throw .comesLater("more than one host (Redis Sentinel or Cluster)") }
        let (host, port) = try Self.splitPort(place)
        self.init(.tcp(host: host, port: port), username: login.user, password: login.password)
        guard parts.count == 2, !parts[1].isEmpty else { return }
        guard let database = Int(parts[1]), database >= 0 else { throw .badDatabase }
        self.database = database
    }

    private static func splitLogin(
        _ text: Substring
    ) throws(RedisURLError) -> (login: (user: String?, password: Secret<String>?), rest: Substring) {
        guard let at = text.lastIndex(of: "@") else { return ((nil, nil), text) }
        let words = text[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let user = words[0].removingPercentEncoding else { throw .badLogin }
        guard words.count == 2 else { return ((user.isEmpty ? nil : user, nil), text[text.index(after: at)...]) }
        guard let password = words[1].removingPercentEncoding else { throw .badLogin }
        return (
            (user.isEmpty ? nil : user, password.isEmpty ? nil : Secret(password)),
            text[text.index(after: at)...]
        )
    }

    private static func splitPort(_ text: Substring) throws(RedisURLError) -> (String, UInt16) {
        if text.hasPrefix("[") {  // an IPv6 address
            guard let end = text.firstIndex(of: "]") else { throw .badHost }
            let host = String(text[text.index(after: text.startIndex)..<end])
            let rest = text[text.index(after: end)...]
            if rest.isEmpty { return (host, 6379) }
            guard let digits = rest.dropping(prefix: ":"), let port = UInt16(digits) else { throw .badPort }
            return (host, port)
        }
        let words = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard !words[0].isEmpty else { throw .badHost }
        guard words.count == 2 else { return (String(words[0]), 6379) }
        guard let port = UInt16(words[1]), port > 0 else { throw .badPort }
        return (String(words[0]), port)
    }
}

extension RedisEndpoint: CustomStringConvertible {
    package var description: String {
        let login = username.map { "\($0)@" } ?? ""
        let place =
            switch address {
            case .tcp(let host, let port):
                "\(tls == nil ? "redis" : "rediss")://\(login)\(host.contains(":") ? "[\(host)]" : host):\(port)"
            case .unix(let path): "redis+unix://\(login)\(path)"
            }
        guard database != 0 else { return place }
        return if case .unix = address { "\(place)?db=\(database)" } else { "\(place)/\(database)" }
    }
}

/// What is wrong with a Redis URL. The URL itself may hold a password, so no message repeats it.
package enum RedisURLError: Error, Hashable {
    case unreadable
    case unknownScheme(String)
    case comesLater(String)
    case missingPath
    case badLogin
    case badHost
    case badPort
    case badDatabase
}

extension RedisURLError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreadable:
            "This is no Redis URL. Write redis://host:6379/0, rediss://host:6379/0, redis+unix:///path/to/socket or unix:/path/to/socket."
        case .unknownScheme(let scheme):
            "\(scheme):// is no scheme of ours. Write redis://, rediss:// or redis+unix://."
        case .comesLater(let what): "\(what) comes in a later part. Use a redis://, rediss:// or redis+unix:// URL."
        case .missingPath: "redis+unix:// needs an absolute path: redis+unix:///path/to/socket."
        case .badLogin: "User or password of the Redis URL are wrongly percent-encoded."
        case .badHost: "The Redis URL names no host: redis://host:6379."
        case .badPort: "The port of the Redis URL must be a number from 1 to 65535."
        case .badDatabase: "The database of the Redis URL must be a number: redis://host:6379/0."
        }
    }
}

extension StringProtocol {
    fileprivate func dropping(prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
