import Crypto

/// Signs what Apple signs, with a certificate chain of its own making.
struct Signatory: Sendable {
    private let chain: CertificateChain
    /// Bodies by app and id, so that a replay is the first answer byte for byte and costs no signature; a signature
    /// costs more than all the rest of a call. Beyond a thousand all are forgotten, and what is asked for again is
    /// signed anew.
    private var recent: [String: [UInt8]] = [:]

    /// A chain whose certificates are valid from a day before until ten years after `wallMs`.
    init(wallMs: Int64) throws(OpenSSLError) {
        chain = try CertificateChain(validity: (wallMs - 86_400_000)...(wallMs + 315_360_000_000))
    }

    var rootPEM: String { chain.rootPEM }

    /// The body of a 200.
    mutating func sign(_ payload: Payload) -> [UInt8] {
        var members: [JSONValue.Member] = [
            .init(name: "signedTransactionInfo", value: .string(chain.sign(payload.transaction.bytes)))
        ]
        if payload.hasRenewal {
            members.append(.init(name: "signedRenewalInfo", value: .string(chain.sign(payload.renewal.bytes))))
        }
        let body = JSONValue.object(members).bytes
        if recent.count >= 1000 { recent.removeAll(keepingCapacity: true) }
        recent[payload.key] = body
        return body
    }

    /// The body that this payload had before.
    mutating func bodyAgain(for payload: Payload) -> [UInt8] { recent[payload.key] ?? sign(payload) }

    mutating func forget() { recent.removeAll() }
}

extension Payload {
    fileprivate var key: String { app.bundleId + "\n" + call.referenceId.lowercased() }
}
