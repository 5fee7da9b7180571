/// A root, an intermediate and a leaf of our own making, shaped like Apple's, and payloads signed by the leaf.
///
/// For the simulator and for tests. Nobody but who is given `rootPEM` trusts it. Apple's chain, whose shape this
/// is: certificates of app-store-server-library-python, tests/test_x509_verifiction.py.
package struct CertificateChain: Sendable {
    /// Ways to sign a payload so that a reader has to refuse it.
    package enum Flaw: String, CaseIterable, Sendable {
        /// `x5c` holds leaf and intermediate only.
        case twoCertificates
        /// `x5c` holds the root twice.
        case fourCertificates
        case missingLeafMarker
        case missingIntermediateMarker
        /// The leaf's time ended a second after the chain's began, so before anything is signed in earnest.
        case expiredLeaf
        /// All three certificates are whole, and their root is one that nobody was told to trust.
        case strangeRoot
        /// The header claims HS256, and the signature is an HMAC under the public leaf.
        case algorithmHS256
        /// The header claims `none`, and there is no signature.
        case algorithmNone
        /// The signature is in DER instead of the raw form.
        case derSignature
        /// One bit of the signature is turned over.
        case brokenSignature
    }

    private let caCurve: Curve
    private let validity: ClosedRange<Int64>
    private let root: CertificateRecipe.Issuer
    private let intermediate: CertificateRecipe.Issuer
    private let leaf: Leaf
    private let rootDER: [UInt8]
    private let intermediateDER: [UInt8]

    private struct Leaf: Sendable {
        let key: KeyHandle
        let der: [UInt8]
    }

    /// Makes the three keys and certificates.
    ///
    /// - Parameters:
    ///   - validity: When all three are valid, in UNIX milliseconds.
    ///   - caCurve: Of the root's and the intermediate's key; the leaf's is P-256 as ES256 needs it.
    package init(validity: ClosedRange<Int64>, caCurve: Curve = .p384) throws(OpenSSLError) {
        self.validity = validity
        self.caCurve = caCurve
        root = try Self.makeRoot(validity, caCurve)
        intermediate = try Self.makeIntermediate(validity, caCurve, by: root)
        leaf = try Self.makeLeaf(validity, by: intermediate)
        rootDER = try root.certificate.der()
        intermediateDER = try intermediate.certificate.der()
    }

    /// Standard base64 of DER: leaf, intermediate, root.
    package var x5c: [String] { [leaf.der, intermediateDER, rootDER].map(Base64.encode) }

    /// What a verifier is to be given as its root of trust.
    package var rootPEM: String { PEM.encode("CERTIFICATE", rootDER) }

    package var intermediatePEM: String { PEM.encode("CERTIFICATE", intermediateDER) }

    package var leafPEM: String { PEM.encode("CERTIFICATE", leaf.der) }

    /// Signs a payload as Apple signs transactions, renewal infos and notifications: ES256, `x5c` in the header.
    package func sign(_ payload: [UInt8]) -> String { Self.sign(payload, by: leaf.key, x5c: x5c) }

    /// Signs a payload wrongly.
    package func sign(_ payload: [UInt8], with flaw: Flaw) throws(OpenSSLError) -> String {
        switch flaw {
        case .twoCertificates: return Self.sign(payload, by: leaf.key, x5c: Array(x5c.prefix(2)))
        case .fourCertificates: return Self.sign(payload, by: leaf.key, x5c: x5c + x5c.suffix(1))
        case .missingLeafMarker:
            let bare = try Self.makeLeaf(validity, marker: nil, by: intermediate)
            return Self.sign(payload, by: bare.key, x5c: [Base64.encode(bare.der)] + x5c.dropFirst())
        case .missingIntermediateMarker:
            let bare = try Self.makeIntermediate(validity, marker: nil, caCurve, by: root)
            let leaf = try Self.makeLeaf(validity, by: bare)
            let chain = [leaf.der, try bare.certificate.der(), rootDER]
            return Self.sign(payload, by: leaf.key, x5c: chain.map(Base64.encode))
        case .expiredLeaf:
            let short = validity.lowerBound...min(validity.lowerBound + 1000, validity.upperBound)
            let old = try Self.makeLeaf(short, by: intermediate)
            return Self.sign(payload, by: old.key, x5c: [Base64.encode(old.der)] + x5c.dropFirst())
        case .strangeRoot: return try CertificateChain(validity: validity, caCurve: caCurve).sign(payload)
        case .algorithmHS256:
            let key = leaf.der
            return JWS.compact(header: JWS.Header(alg: "HS256", x5c: x5c), payload: payload) {
                Digest.hmacSHA256(key: key, message: $0)
            }
        case .algorithmNone:
            return JWS.compact(header: JWS.Header(alg: "none", x5c: x5c), payload: payload) { _ in [] }
        case .derSignature:
            return JWS.compact(header: JWS.Header(x5c: x5c), payload: payload) { input in
                OpenSSL.must { () throws(OpenSSLError) in try ECDSASignature.der(over: input, by: leaf.key) }
            }
        case .brokenSignature:
            return JWS.compact(header: JWS.Header(x5c: x5c), payload: payload) { input in
                var signature = Self.signature(of: input, by: leaf.key)
                signature[63] ^= 1
                return signature
            }
        }
    }

    private static func sign(_ payload: [UInt8], by key: KeyHandle, x5c: [String]) -> String {
        JWS.compact(header: JWS.Header(x5c: x5c), payload: payload) { signature(of: $0, by: key) }
    }

    private static func signature(of input: [UInt8], by key: KeyHandle) -> [UInt8] {
        OpenSSL.must { () throws(OpenSSLError) in
            try ECDSASignature.raw(fromDER: try ECDSASignature.der(over: input, by: key))
        }
    }

    // MARK: Making certificates

    private static func makeRoot(
        _ validity: ClosedRange<Int64>, _ curve: Curve
    ) throws(OpenSSLError) -> CertificateRecipe.Issuer {
        let key = try KeyHandle.generate(curve)
        let recipe = CertificateRecipe(role: .root, subject: "Simulated Root CA", validity: validity)
        return CertificateRecipe.Issuer(certificate: try recipe.issue(for: key, by: nil), key: key)
    }

    private static func makeIntermediate(
        _ validity: ClosedRange<Int64>, marker: String? = AppleMarker.intermediate, _ curve: Curve,
        by root: CertificateRecipe.Issuer
    ) throws(OpenSSLError) -> CertificateRecipe.Issuer {
        let key = try KeyHandle.generate(curve)
        let recipe = CertificateRecipe(
            role: .intermediate, subject: "Simulated Developer Relations CA", validity: validity, marker: marker)
        return CertificateRecipe.Issuer(certificate: try recipe.issue(for: key, by: root), key: key)
    }

    private static func makeLeaf(
        _ validity: ClosedRange<Int64>, marker: String? = AppleMarker.leaf, by intermediate: CertificateRecipe.Issuer
    ) throws(OpenSSLError) -> Leaf {
        let key = try KeyHandle.generate(.p256)
        let recipe = CertificateRecipe(
            role: .leaf, subject: "Simulated Receipt Signing", validity: validity, marker: marker)
        return Leaf(key: key, der: try recipe.issue(for: key, by: intermediate).der())
    }
}
