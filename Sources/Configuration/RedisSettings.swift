package import Redis
private import Telemetry

/// `redis`: where the queue is.
package struct RedisSettings: Sendable, Hashable {
    package let endpoint: RedisEndpoint
    /// The folder of a private server, which `kulanz up` keeps alive; nil if the server is somebody else's.
    package let embedded: String?
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
        let url = section.required(
            "url", expecting: "a Redis URL such as redis://127.0.0.1:6379/0")
        let username = section.string("username", expecting: "a user name")
        let password = section.string("password", expecting: "a password, best as env:NAME or file:PATH")
        let prefix = section.string("prefix", expecting: "a word") ?? "kulanz"
        if !Self.isPrefix(prefix) { section.refuse("prefix", "expects 1 to 32 of A-Za-z0-9._-") }
        let tls = Self.tls(section)
        section.finish()
        guard let url else { return nil }
        if url.hasPrefix(Self.embeddedScheme) {
            guard let folder = Self.folder(url, section) else { return nil }
            self.init(endpoint: .unix(PrivateRedis.socket(in: folder)), embedded: folder, prefix: prefix)
            return
        }
        guard var endpoint = Self.endpoint(url, section) else { return nil }
        endpoint.tls = Self.applied(tls, to: endpoint, section)
        if let username {
            if endpoint.username != nil { section.refuse("username", "stands in the URL too; say it once") }
            endpoint.username = username
        }
        if let password {
            if endpoint.password != nil { section.refuse("password", "stands in the URL too; say it once") }
            endpoint.password = Secret(password)
        }
        self.init(endpoint: endpoint, embedded: nil, prefix: prefix)
    }

    private static let embeddedScheme = "embedded:"

    /// The private server's folder, relative to the configuration.
    private static func folder(_ url: String, _ section: Section) -> String? {
        for key in ["username", "password", "caFile", "certificateFile", "keyFile"] where section.node(key) != nil {
            section.refuse(
                key, "is for a Redis that others use, too; the private one lets in whoever may enter its folder")
        }
        let name = String(url.dropFirst(embeddedScheme.count))
        guard !name.isEmpty else {
            section.refuse(
                "url", "embedded: needs a folder behind it, such as embedded:data or embedded:/var/lib/kulanz")
            return nil
        }
        let folder = section.surroundings.folderPath(name)
        let excess = PrivateRedis.socket(in: folder).utf8.count - PrivateRedis.longestSocketPath
        guard excess <= 0 else {
            section.refuse(
                "url",
                "\(folder) is too long for the socket in it, by \(excess) bytes; give a shorter path, such as /var/lib/kulanz"
            )
            return nil
        }
        return folder
    }

    /// Nil where no key of TLS is given, or one of them is wrong.
    private static func tls(_ section: Section) -> RedisTLS? {
        let given = ["caFile", "certificateFile", "keyFile"].filter { section.node($0) != nil }
        let tls = RedisTLS(
            caFile: section.pemFile("caFile"), certificateFile: section.pemFile("certificateFile"),
            keyFile: section.pemFile("keyFile", holding: "PRIVATE KEY"))
        for (one, other) in [("certificateFile", "keyFile"), ("keyFile", "certificateFile")]
        where given.contains(one) && !given.contains(other) {
            section.refuse(one, "needs \(other) beside it")
        }
        let read = [tls.caFile, tls.certificateFile, tls.keyFile].compactMap { $0 }
        guard !given.isEmpty, read.count == given.count else { return nil }
        do throws(RedisTLSError) {
            try tls.check()
            return tls
        } catch {
            section.refuse(key(of: error), "\(error)")
            return nil
        }
    }

    private static func key(of error: RedisTLSError) -> String {
        switch error {
        case .unreadableCertificate: "certificateFile"
        case .unreadableKey, .foreignKey: "keyFile"
        default: "caFile"
        }
    }

    private static func applied(_ tls: RedisTLS?, to endpoint: RedisEndpoint, _ section: Section) -> RedisTLS? {
        guard endpoint.tls == nil else { return tls ?? endpoint.tls }
        for key in ["caFile", "certificateFile", "keyFile"] where section.node(key) != nil {
            section.refuse(key, "is for TLS; write rediss:// in the url, or leave the key out")
        }
        return nil
    }

    private static func endpoint(_ url: String, _ section: Section) -> RedisEndpoint? {
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
