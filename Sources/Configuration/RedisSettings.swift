package import Redis
private import Telemetry

/// `redis`: where the queue is.
package struct RedisSettings: Sendable, Hashable {
    package let endpoint: RedisEndpoint
    /// In front of every key.
    package let prefix: String
}

extension RedisSettings {
    init?(_ section: Section?, in root: Section) {
        guard let section else {
            if root.node("redis") == nil {
                root.refuse("redis", #"is missing; write redis: { url: "redis://127.0.0.1:6379/0" }"#)
            }
            return nil
        }
        let url = section.required("url", expecting: "a Redis URL such as redis://127.0.0.1:6379/0")
        let username = section.string("username", expecting: "a user name")
        let password = section.string("password", expecting: "a password, best as env:NAME or file:PATH")
        let prefix = section.string("prefix", expecting: "a word") ?? "kulanz"
        if !Self.isPrefix(prefix) { section.refuse("prefix", "expects 1 to 32 of A-Za-z0-9._-") }
        section.finish(later: ["caFile": "TLS to Redis"])
        guard let url, var endpoint = Self.endpoint(url, section) else { return nil }
        if let username {
            if endpoint.username != nil { section.refuse("username", "stands in the URL too; say it once") }
            endpoint.username = username
        }
        if let password {
            if endpoint.password != nil { section.refuse("password", "stands in the URL too; say it once") }
            endpoint.password = Secret(password)
        }
        self.init(endpoint: endpoint, prefix: prefix)
    }

    private static func endpoint(_ url: String, _ section: Section) -> RedisEndpoint? {
        guard !url.hasPrefix("embedded:") else {
            section.refuse(
                "url", "the private Redis (embedded:DIR) doesn't exist yet in this version; start a redis-server")
            return nil
        }
        do {
            return try RedisEndpoint(url: url)
        } catch {
            section.refuse("url", "\(error)")
            return nil
        }
    }

    private static func isPrefix(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789._-".unicodeScalars.contains($0))
            }
    }
}
