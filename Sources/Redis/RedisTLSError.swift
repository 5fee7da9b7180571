/// Why there is no private connection.
package enum RedisTLSError: Error, Sendable, Hashable {
    case unreadableAuthorities(file: String)
    case unreadableCertificate(file: String)
    case unreadableKey(file: String)
    /// Certificate and key are of different pairs.
    case foreignKey(file: String)

    /// Nobody that we trust vouches for the server. `issuer` is who does.
    case unknownAuthority(issuer: String, caFile: String?)
    /// `names`: those that the certificate is for.
    case wrongHost(String, names: String)
    case expired(String)
    case notYetValid(String)
    /// The certificate is refused for another reason, in OpenSSL's words.
    case untrusted(String)
    case certificateWanted
    /// The server refuses our certificate, in OpenSSL's words.
    case certificateRefused(String)
    /// No version of TLS, or no cipher, in common.
    case nothingInCommon(String)
    /// What answers doesn't speak TLS.
    case notTLS
    case silent(Duration)
    case cutOff(String)
    /// Anything else, in OpenSSL's words.
    case failed(String)
}

extension RedisTLSError {
    /// Whether another configuration of ours is the likely remedy, rather than work on the server.
    package var isOurs: Bool {
        switch self {
        case .unreadableAuthorities, .unreadableCertificate, .unreadableKey, .foreignKey, .unknownAuthority, .wrongHost,
            .certificateWanted, .certificateRefused, .notTLS:
            true
        case .expired, .notYetValid, .untrusted, .nothingInCommon, .silent, .cutOff, .failed: false
        }
    }
}

extension RedisTLSError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreadableAuthorities(let file): "\(file) holds no certificate of an authority that can be read (PEM)"
        case .unreadableCertificate(let file): "\(file) holds no certificate that can be read (PEM)"
        case .unreadableKey(let file):
            "\(file) holds no private key that can be read (PEM, without a pass phrase)"
        case .foreignKey(let file): "the key in \(file) doesn't belong to the certificate"
        case .unknownAuthority(let issuer, let caFile):
            "the server's certificate comes from “\(issuer)”, whom "
                + (caFile.map { "\($0) doesn't know; put that authority's certificate there" }
                    ?? "this system doesn't trust; name a file with that authority's certificate as caFile")
        case .wrongHost(let host, let names):
            "the server's certificate isn't for \(host) but for \(names); connect by one of those names, or have it "
                + "issued anew with \(host) as subjectAltName"
        case .expired(let when): "the server's certificate expired on \(when); it must be renewed"
        case .notYetValid(let when):
            "the server's certificate is valid only from \(when); if that is past, this machine's clock is wrong"
        case .untrusted(let reason): "the server's certificate is refused: \(reason)"
        case .certificateWanted:
            "the server asks for a client certificate; name certificateFile and keyFile (or tls-auth-clients no in its "
                + "redis.conf)"
        case .certificateRefused(let reason):
            "the server refuses our client certificate (\(reason)); it must come from an authority in the server's "
                + "tls-ca-cert-file, and be valid"
        case .nothingInCommon(let reason):
            "the server offers no TLS that is safe enough (\(reason)); 1.2 or 1.3 is needed"
        case .notTLS: "the server doesn't speak TLS on this port; write redis://, or the port of tls-port"
        case .silent(let time):
            "no answer to our TLS greeting within \(time); a port without TLS keeps silent like that: write redis://, "
                + "or the port of tls-port"
        case .cutOff(let reason): "the TLS handshake broke off: \(reason)"
        case .failed(let reason): "the TLS handshake failed: \(reason)"
        }
    }
}
