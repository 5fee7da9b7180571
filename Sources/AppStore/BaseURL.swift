package import Refunds

/// Where an app's requests go: scheme, host, port, and a path before Apple's own if a proxy wants one.
///
/// Always TLS, since every request carries a token that moves money; plain HTTP is for a simulator on this machine.
package struct BaseURL: Sendable, Hashable, CustomStringConvertible {
    package enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        case notAbsolute
        /// Plain HTTP to a host that isn't this machine.
        case notEncrypted
        case hasCredentials
        case hasQuery
        case unreadableHost
        case unreadablePort
        case unreadablePath

        package var description: String {
            switch self {
            case .notAbsolute: "A base URL begins with https:// and a host, as in https://api.storekit.apple.com."
            case .notEncrypted:
                """
                Plain http:// is only for a simulator on this machine (localhost, 127.0.0.1, [::1]): a token in clear \
                text lets whoever reads it refund purchases. Use https://.
                """
            case .hasCredentials: "A base URL has no user name or password; requests carry the provider token."
            case .hasQuery: "A base URL has no ? and no #; the paths of the calls are put behind it."
            case .unreadableHost: "The base URL's host isn't one: letters, digits, dots, hyphens, or [an IPv6 address]."
            case .unreadablePort: "The base URL's port isn't a number from 1 to 65535."
            case .unreadablePath: "The base URL's path holds something other than letters, digits and - . _ ~ /."
            }
        }
    }

    /// Without a slash at its end.
    package let text: String
    /// Lower case, without port.
    package let host: String

    package var description: String { text }

    package init(_ url: String) throws(Failure) {
        let lower = url.lowercased()
        guard let scheme = ["https://", "http://"].first(where: { lower.hasPrefix($0) }) else { throw .notAbsolute }
        let rest = url.dropFirst(scheme.count)
        guard !rest.contains(where: { $0 == "?" || $0 == "#" }) else { throw .hasQuery }
        let authority = rest.prefix { $0 != "/" }
        guard !authority.contains("@") else { throw .hasCredentials }
        let (host, port) = try Self.split(authority)
        guard !host.isEmpty else { throw .notAbsolute }
        guard scheme == "https://" || Self.isThisMachine(host) else { throw .notEncrypted }
        var path = rest.dropFirst(authority.count)
        guard path.utf8.allSatisfy(Self.isPlainPath), !path.contains("//"), !path.contains("..") else {
            throw .unreadablePath
        }
        if path.last == "/" { path.removeLast() }
        self.host = host
        text = scheme + host + port + path
    }

    private init(known host: String) {
        self.host = host
        text = "https://" + host
    }

    /// The host Apple recommends since 2026-05-05 (App Store Server API changelog); the ones with `itunes` in their
    /// names still work.
    package static func recommended(for environment: Environment) -> BaseURL {
        switch environment {
        case .production: BaseURL(known: "api.storekit.apple.com")
        case .sandbox: BaseURL(known: "api.storekit-sandbox.apple.com")
        }
    }

    /// The environment behind the host if it is one of Apple's four; nil for every other host.
    package var appleEnvironment: Environment? {
        switch host {
        case "api.storekit.apple.com", "api.storekit.itunes.apple.com": .production
        case "api.storekit-sandbox.apple.com", "api.storekit-sandbox.itunes.apple.com": .sandbox
        default: nil
        }
    }

    // MARK: Reading the parts

    private static func split(_ authority: Substring) throws(Failure) -> (host: String, port: String) {
        let host: Substring
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { throw .unreadableHost }
            host = authority[...end]
            guard host.dropFirst().dropLast().utf8.allSatisfy(isIPv6), host.contains(":") else { throw .unreadableHost }
        } else {
            host = authority.prefix { $0 != ":" }
            guard host.utf8.allSatisfy(isName), !host.hasPrefix("."), !host.contains("..") else {
                throw .unreadableHost
            }
        }
        let port = authority.dropFirst(host.count)
        guard !port.isEmpty else { return (host.lowercased(), "") }
        let digits = port.dropFirst()
        guard port.first == ":", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(digits),
            number > 0
        else { throw port.first == ":" ? .unreadablePort : .unreadableHost }
        return (host.lowercased(), ":\(number)")
    }

    /// Names and addresses that can't leave this machine (RFC 1122 section 3.2.1.3, RFC 6761 section 6.3).
    private static func isThisMachine(_ host: String) -> Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { part in
                part.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt8(part) != nil
            }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    private static func isName(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
    }

    private static func isIPv6(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
    }

    private static func isPlainPath(_ byte: UInt8) -> Bool {
        isName(byte) || [UInt8(ascii: "/"), UInt8(ascii: "_"), UInt8(ascii: "~")].contains(byte)
    }
}
