import COpenSSL
import Foundation

/// Decides whether Apple, or whoever holds a configured root, signed a payload.
///
/// The steps and their order are those of Apple's own library (app-store-server-library-swift, ChainVerifier.swift),
/// with online checks off: no OCSP, and certificates have to be valid when the payload says it was signed. There is
/// no way past the signature for any environment. What the payload says (bundle, environment) is the caller's to
/// judge.
package struct SignedPayloadVerifier: Sendable {
    /// How far a payload's `signedDate` may lie ahead of us, in ms.
    package static let toleratedFuture: Int64 = 5 * 60 * 1000

    private let roots: [Certificate]

    /// What was signed, once that is proven.
    package struct Verified: Hashable, Sendable {
        /// A JSON object.
        package let payload: [UInt8]
        /// UNIX milliseconds; nil when the payload has no such member.
        package let signedDate: Int64?
    }

    /// Roots nobody could read, or none at all.
    package struct UnreadableRoot: Error, Hashable, Sendable, CustomStringConvertible {
        package var description: String { "A root certificate is missing or can't be read: PEM or DER is wanted." }
    }

    /// Takes every certificate of each file: PEM with one or more CERTIFICATE blocks, or one certificate as DER.
    package init(roots files: [[UInt8]]) throws(UnreadableRoot) {
        var roots: [Certificate] = []
        for file in files {
            let ders: [[UInt8]]
            if let text = String(validating: file, as: UTF8.self), let blocks = try? PEM.blocks(in: text) {
                ders = blocks.map { $0.label == "CERTIFICATE" ? $0.der ?? [] : [] }
            } else {
                ders = [file]
            }
            for der in ders {
                guard let root = try? Certificate(der: der) else { throw UnreadableRoot() }
                roots.append(root)
            }
        }
        guard !roots.isEmpty else { throw UnreadableRoot() }
        self.roots = roots
    }

    /// Checks everything up to the signature, then gives the payload.
    ///
    /// - Parameter now: UNIX milliseconds.
    package func verify(_ text: String, now: Int64) throws(SignedPayloadError) -> Verified {
        let jws: JWS
        do { jws = try JWS(compact: text) } catch { throw .malformed(error) }
        guard jws.header.alg == "ES256" else { throw .wrongAlgorithm }
        let x5c = jws.header.x5c ?? []
        guard x5c.count == 3 else { throw .wrongCertificateCount(x5c.count) }
        // The third is never looked at: trust comes from the configured roots alone.
        let leaf = try Self.certificate(x5c[0])
        let intermediate = try Self.certificate(x5c[1])
        let signedDate = try Self.signedDate(in: jws.payload)
        if let signedDate, signedDate - now > Self.toleratedFuture { throw .signedInFuture }
        try checkTrust(in: leaf, through: intermediate, at: signedDate ?? now)
        guard Self.has(AppleMarker.intermediate, intermediate) else { throw .missingIntermediateMarker }
        guard Self.has(AppleMarker.leaf, leaf) else { throw .missingLeafMarker }
        guard let key = try? VerifyingKey(certificate: leaf) else { throw .leafKeyNotP256 }
        guard jws.isSigned(by: key) else { throw .wrongSignature }
        return Verified(payload: jws.payload, signedDate: signedDate)
    }

    private static func certificate(_ text: String) throws(SignedPayloadError) -> Certificate {
        guard let der = Base64.decode(text), let certificate = try? Certificate(der: der) else {
            throw .unreadableCertificate
        }
        return certificate
    }

    private static func has(_ marker: String, _ certificate: Certificate) -> Bool {
        OpenSSL.must { () throws(OpenSSLError) in try certificate.hasExtension(marker) }
    }

    private static func signedDate(in payload: [UInt8]) throws(SignedPayloadError) -> Int64? {
        struct Dated: Decodable { let signedDate: Int64? }
        do {
            return try JSONDecoder().decode(Dated.self, from: Data(payload)).signedDate
        } catch {
            throw .unreadablePayload
        }
    }

    /// RFC 5280 section 6 from the leaf to one of our roots, at a moment in UNIX milliseconds.
    private func checkTrust(
        in leaf: Certificate, through intermediate: Certificate, at moment: Int64
    ) throws(SignedPayloadError) {
        let verdict: Verdict
        do { verdict = try judge(leaf, through: intermediate, at: moment) } catch { throw .untrusted(error.reason) }
        switch verdict {
        case .trusted(length: 3): return
        case .trusted: throw .untrusted("the chain isn't leaf, intermediate, root")
        case .distrusted(let reason): throw .untrusted(reason)
        }
    }

    private enum Verdict {
        case trusted(length: Int32)
        case distrusted(String)
    }

    private func judge(
        _ leaf: Certificate, through intermediate: Certificate, at moment: Int64
    ) throws(OpenSSLError) -> Verdict {
        let store = try Owned(X509_STORE_new(), by: "X509_STORE_new") { X509_STORE_free($0) }
        for root in roots {
            try store.use { store throws(OpenSSLError) in
                try root.use { root throws(OpenSSLError) in
                    try OpenSSL.check(X509_STORE_add_cert(store, root), "X509_STORE_add_cert")
                }
            }
        }
        let others = try Owned(OPENSSL_sk_new_null(), by: "OPENSSL_sk_new_null") { OPENSSL_sk_free($0) }
        let context = try Owned(X509_STORE_CTX_new(), by: "X509_STORE_CTX_new") { X509_STORE_CTX_free($0) }
        return try store.use { store throws(OpenSSLError) in
            try others.use { others throws(OpenSSLError) in
                try context.use { context throws(OpenSSLError) in
                    try leaf.use { leaf throws(OpenSSLError) in
                        try intermediate.use { intermediate throws(OpenSSLError) in
                            guard OPENSSL_sk_push(others, UnsafeRawPointer(intermediate)) == 1 else {
                                throw OpenSSLError(from: "OPENSSL_sk_push")
                            }
                            try OpenSSL.check(
                                X509_STORE_CTX_init(context, store, leaf, others), "X509_STORE_CTX_init")
                            return try Self.run(context, at: moment)
                        }
                    }
                }
            }
        }
    }

    private static func run(_ context: OpaquePointer, at moment: Int64) throws(OpenSSLError) -> Verdict {
        let parameters = try OpenSSL.found(X509_STORE_CTX_get0_param(context), "X509_STORE_CTX_get0_param")
        X509_VERIFY_PARAM_set_time(parameters, Int(moment / 1000))
        // 112 bits of strength: no SHA-1, no RSA key below 2048 bits. OpenSSL's X509_STRICT stays off: it wants key
        // identifiers in every certificate, which Apple's own test chain doesn't have.
        X509_VERIFY_PARAM_set_auth_level(parameters, 2)
        guard X509_verify_cert(context) == 1 else {
            let code = X509_STORE_CTX_get_error(context)
            ERR_clear_error()
            return .distrusted(X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "\(code)")
        }
        return .trusted(length: OPENSSL_sk_num(X509_STORE_CTX_get0_chain(context)))
    }
}
