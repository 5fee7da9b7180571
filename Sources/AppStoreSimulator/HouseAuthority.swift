import Crypto
import Foundation
import HTTP

/// The simulator's own certificate authority, kept in a folder so that clients have to be told of it once.
///
/// It vouches for this simulator only, which is why its secret may lie in a folder of a developer's.
struct HouseAuthority {
    /// What clients are to trust: the path of `ca.pem`.
    let caFile: String
    let identity: TLSIdentity

    /// Takes the authority of the folder, or makes one, and has it certify this start's server.
    ///
    /// Writes `ca.pem` and `ca.key` if neither is there, and `server.pem` and `server.key` anew, for a proxy that is put
    /// before the simulator.
    init(in folder: String, host: String, wallMs: Int64) throws {
        caFile = folder + "/ca.pem"
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch { throw HouseAuthorityError.unwritable(file: folder) }
        let authority = try Self.authority(caFile, secret: folder + "/ca.key", wallMs: wallMs)
        let server = try authority.issue(
            for: Self.hosts(listeningOn: host), validity: (wallMs - Self.day)...(wallMs + Self.serverDays * Self.day))
        identity = TLSIdentity(certificatePEM: server.certificatePEM, keyPEM: server.key.pemPKCS8)
        try server.certificatePEM.write(toFile: folder + "/server.pem", atomically: true, encoding: .utf8)
        try Self.writeSecret(identity.keyPEM, to: folder + "/server.key")
    }

    private static let day: Int64 = 86_400_000
    /// Apple's systems refuse servers whose certificates are valid for longer than 398 days.
    private static let serverDays: Int64 = 397

    private static func authority(_ file: String, secret: String, wallMs: Int64) throws -> LocalAuthority {
        let files = FileManager.default
        guard files.fileExists(atPath: file) || files.fileExists(atPath: secret) else {
            let made = try LocalAuthority(
                named: "Simulated App Store", validity: (wallMs - day)...(wallMs + 3650 * day))
            try writeSecret(made.key.pemPKCS8, to: secret)
            try made.certificatePEM.write(toFile: file, atomically: true, encoding: .utf8)
            return made
        }
        // Not overwritten: it may be somebody's own.
        guard let text = try? String(contentsOfFile: file, encoding: .utf8), let pem = files.contents(atPath: secret),
            let key = try? SigningKey(p8: Array(pem)), let found = LocalAuthority(certificatePEM: text, key: key)
        else { throw HouseAuthorityError.foreign(file: file, secret: secret) }
        guard found.isValid(at: wallMs + serverDays * day) else { throw HouseAuthorityError.old(file: file) }
        return found
    }

    private static func writeSecret(_ text: String, to file: String) throws {
        // Made with its rights, so that nobody can read it for a moment.
        try? FileManager.default.removeItem(atPath: file)
        guard
            FileManager.default.createFile(
                atPath: file, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        else { throw HouseAuthorityError.unwritable(file: file) }
    }

    private static func hosts(listeningOn host: String) -> [String] {
        let isEverywhere = ["0.0.0.0", "::", ""].contains(host)
        let own = isEverywhere ? ProcessInfo.processInfo.hostName : host
        let known = ["localhost", "127.0.0.1", "::1"]
        // A name that can't stand in a certificate would spoil the others.
        let isPlain = own.utf8.allSatisfy { $0 < 0x80 } && !own.contains { ", _%".contains($0) } && !own.isEmpty
        return known + (known.contains(own) || !isPlain ? [] : [own])
    }
}

/// Why a folder gives no certificate authority.
package enum HouseAuthorityError: Error, Hashable, CustomStringConvertible {
    /// One of the two is missing, can't be read, or isn't what the other belongs to.
    case foreign(file: String, secret: String)
    /// The authority ends before a server's certificate would.
    case old(file: String)
    /// A file, or the folder itself.
    case unwritable(file: String)

    package var description: String {
        switch self {
        case .foreign(let file, let secret):
            "\(file) and \(secret) are not a certificate and its P-256 key; name another folder, or remove both"
        case .old(let file): "\(file) ends within 13 months; remove it and its ca.key, and a new one is made"
        case .unwritable(let file): "\(file) can't be made or written"
        }
    }
}
