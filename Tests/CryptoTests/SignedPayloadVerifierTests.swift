import Crypto
import Foundation
import Testing

@Suite struct `The verifier of signed payloads` {
    static let begin: Int64 = 1_796_000_000_000
    static let end = begin + 86_400_000
    let chain: CertificateChain
    let verifier: SignedPayloadVerifier

    init() throws {
        chain = try CertificateChain(validity: Self.begin...Self.end)
        verifier = try SignedPayloadVerifier(roots: [Array(chain.rootPEM.utf8)])
    }

    func payload(signedAt moment: Int64) -> [UInt8] {
        Array(#"{"bundleId":"com.example","signedDate":\#(moment)}"#.utf8)
    }

    @Test(arguments: [Curve.p384, .p256])
    func `believes what our chain signed`(curve: Curve) throws {
        let chain = try CertificateChain(validity: Self.begin...Self.end, caCurve: curve)
        let verifier = try SignedPayloadVerifier(roots: [Array(chain.rootPEM.utf8)])
        let payload = payload(signedAt: Self.begin + 60_000)
        let verified = try verifier.verify(chain.sign(payload), now: Self.end)
        #expect(verified.payload == payload)
        #expect(verified.signedDate == Self.begin + 60_000)
    }

    @Test func `looks at the certificates as of the signed date, or of now where there is none`() throws {
        let text = chain.sign(payload(signedAt: Self.begin + 5000))
        #expect(throws: Never.self) { try verifier.verify(text, now: Self.end + 1_000_000_000) }
        for moment in [Self.begin - 1000, Self.end + 1000] {
            let text = chain.sign(payload(signedAt: moment))
            let error = #expect(throws: SignedPayloadError.self) { try verifier.verify(text, now: Self.end) }
            #expect(error?.isUntrusted == true)
        }
        let undated = chain.sign(Array("{}".utf8))
        #expect(try verifier.verify(undated, now: Self.end - 1000).signedDate == nil)
        #expect(throws: SignedPayloadError.self) { try verifier.verify(undated, now: Self.end + 1000) }
    }

    @Test func `refuses a date more than five minutes ahead`() throws {
        let text = chain.sign(payload(signedAt: Self.begin + 300_000))
        #expect(throws: Never.self) { try verifier.verify(text, now: Self.begin) }
        #expect(throws: SignedPayloadError.signedInFuture) { try verifier.verify(text, now: Self.begin - 1) }
    }

    @Test(arguments: CertificateChain.Flaw.allCases)
    func `refuses each flaw for its own reason`(flaw: CertificateChain.Flaw) throws {
        let text = try chain.sign(payload(signedAt: Self.begin + 60_000), with: flaw)
        let error = #expect(throws: SignedPayloadError.self) { try verifier.verify(text, now: Self.end) }
        let isExpected =
            switch (flaw, error) {
            case (.twoCertificates, .wrongCertificateCount(2)), (.fourCertificates, .wrongCertificateCount(4)),
                (.missingLeafMarker, .missingLeafMarker), (.missingIntermediateMarker, .missingIntermediateMarker),
                (.algorithmHS256, .wrongAlgorithm), (.algorithmNone, .wrongAlgorithm), (.derSignature, .wrongSignature),
                (.brokenSignature, .wrongSignature):
                true
            case (.expiredLeaf, .untrusted(let reason)): reason.contains("expired")
            case (.strangeRoot, .untrusted(let reason)): reason.contains("unable to get local issuer certificate")
            default: false
            }
        #expect(isExpected, "\(flaw) gave \(String(describing: error))")
    }

    @Test func `refuses a payload that was changed or moved under another signature`() throws {
        let parts = chain.sign(payload(signedAt: Self.begin + 60_000)).split(separator: ".")
        let others = chain.sign(payload(signedAt: Self.begin + 60_001)).split(separator: ".")
        let moved = [parts[0], others[1], parts[2]].joined(separator: ".")
        #expect(throws: SignedPayloadError.wrongSignature) { try verifier.verify(moved, now: Self.end) }
        let stranger = SigningKey.generate()
        let forged = JWS.compact(header: .init(x5c: chain.x5c), payload: payload(signedAt: Self.begin), key: stranger)
        #expect(throws: SignedPayloadError.wrongSignature) { try verifier.verify(forged, now: Self.end) }
    }

    @Test func `never takes its root from the payload`() throws {
        // A stranger's leaf and intermediate with the trusted root put third.
        let stranger = try CertificateChain(validity: Self.begin...Self.end)
        let strangers = try JWS(compact: stranger.sign(payload(signedAt: Self.begin)))
        let header = JWS.Header(x5c: Array(stranger.x5c.prefix(2)) + chain.x5c.suffix(1))
        let text = JWS.compact(header: header, payload: strangers.payload, key: .generate())
        let error = #expect(throws: SignedPayloadError.self) { try verifier.verify(text, now: Self.end) }
        #expect(error?.isUntrusted == true)
        // The third certificate may be anything at all.
        var x5c = chain.x5c
        x5c[2] = "AAAA"
        let odd = JWS.compact(header: JWS.Header(x5c: x5c), payload: strangers.payload, key: .generate())
        #expect(throws: SignedPayloadError.wrongSignature) { try verifier.verify(odd, now: Self.end) }
    }

    @Test func `refuses a chain that is whole but not leaf, intermediate, root`() throws {
        for x5c in [[chain.x5c[1], chain.x5c[1], chain.x5c[2]], [chain.x5c[0], chain.x5c[0], chain.x5c[2]]] {
            let header = JWS.Header(x5c: x5c)
            let text = JWS.compact(header: header, payload: payload(signedAt: Self.begin), key: .generate())
            let error = #expect(throws: SignedPayloadError.self) { try verifier.verify(text, now: Self.end) }
            #expect(error?.isUntrusted == true)
        }
    }

    @Test func `refuses what it can't read`() throws {
        let header = JWS.Header(x5c: ["AAAA", chain.x5c[1], chain.x5c[2]])
        let text = JWS.compact(header: header, payload: Array("{}".utf8), key: .generate())
        #expect(throws: SignedPayloadError.unreadableCertificate) { try verifier.verify(text, now: Self.end) }
        for payload in ["", "[]", "null", #"{"signedDate":"soon"}"#, #"{"signedDate":1.5}"#] {
            let text = chain.sign(Array(payload.utf8))
            #expect(throws: SignedPayloadError.unreadablePayload, "\(payload)") {
                try verifier.verify(text, now: Self.end)
            }
        }
        #expect(throws: SignedPayloadError.malformed(.notThreeParts)) { try verifier.verify("a.b", now: Self.end) }
        #expect(throws: SignedPayloadError.wrongCertificateCount(0)) {
            try verifier.verify(JWS.compact(header: .init(), payload: [], key: .generate()), now: Self.end)
        }
    }

    /// Apple's test data, beside the checkout on machines that have it.
    static let vectors = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../shared/vectors/apple").standardizedFileURL

    static var hasVectors: Bool { FileManager.default.fileExists(atPath: vectors.path) }

    @Test(
        .enabled(if: hasVectors, "Apple's vectors aren't beside this checkout (../shared/vectors/apple)"),
        arguments: ["testNotification", "transactionInfo", "wrongBundleId"])
    func `believes what Apple's own test authority signed`(name: String) throws {
        let root = [UInt8](try Data(contentsOf: Self.vectors.appending(path: "certs/testCA.der")))
        let file = Self.vectors.appending(path: "mock_signed_data/\(name)")
        let text = try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let verified = try SignedPayloadVerifier(roots: [root]).verify(text, now: now)
        #expect((verified.signedDate == nil) == (name == "wrongBundleId"))
        #expect(String(decoding: verified.payload, as: UTF8.self).contains("com.example"))
        let error = #expect(throws: SignedPayloadError.self) { try verifier.verify(text, now: now) }
        #expect(error?.isUntrusted == true)
    }

    @Test func `has to be given roots that can be read`() throws {
        for files in [[], [[]], [Array("hello".utf8)], [Array(SigningKey.generate().pemPKCS8.utf8)]] as [[[UInt8]]] {
            #expect(throws: SignedPayloadVerifier.UnreadableRoot.self) { try SignedPayloadVerifier(roots: files) }
        }
        let other = try CertificateChain(validity: Self.begin...Self.end)
        let both = try SignedPayloadVerifier(roots: [Array((other.rootPEM + chain.rootPEM).utf8)])
        for signer in [chain, other] {
            let text = signer.sign(payload(signedAt: Self.begin))
            #expect(throws: Never.self) { try both.verify(text, now: Self.end) }
        }
    }
}

extension SignedPayloadError {
    fileprivate var isUntrusted: Bool { if case .untrusted = self { true } else { false } }
}
