import COpenSSL
import Crypto
import Testing

@Suite struct `OpenSSL's error queue` {
    /// A TLS connection that the same thread serves takes what is left in the queue for its own failure.
    @Test func `is left empty by what succeeds and by what fails`() throws {
        let key = SigningKey.generate()
        let chain = try CertificateChain(validity: 1_796_000_000_000...1_796_086_400_000)
        let verifier = try SignedPayloadVerifier(roots: [Array(chain.rootPEM.utf8)])
        let signature = key.signES256([1])
        let payload = Array(#"{"signedDate":1796000001000}"#.utf8)
        let damaged = key.pemPKCS8.replacingOccurrence(of: "MI", with: "MA")
        let acts: [(String, () throws -> Void)] = [
            ("generate", { _ = SigningKey.generate() }),
            ("read", { _ = try SigningKey(pem: key.pemPKCS8) }),
            ("read a damaged key", { _ = try? SigningKey(pem: damaged) }),
            (
                "read no PKCS#8",
                { _ = try? SigningKey(pem: "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----") }
            ),
            (
                "read no public key",
                { _ = try? VerifyingKey(pem: "-----BEGIN PUBLIC KEY-----\nMAA=\n-----END PUBLIC KEY-----") }
            ),
            ("read no certificate", { _ = try? VerifyingKey(certificateDER: [0x30, 0x00]) }),
            ("verify", { _ = key.publicKey.verifyES256(message: [1], signature: signature) }),
            ("verify another message", { _ = key.publicKey.verifyES256(message: [2], signature: signature) }),
            (
                "verify zeros",
                { _ = key.publicKey.verifyES256(message: [1], signature: [UInt8](repeating: 0, count: 64)) }
            ),
            ("make a chain", { _ = try CertificateChain(validity: 0...1_796_086_400_000) }),
            ("believe", { _ = try verifier.verify(chain.sign(payload), now: 1_796_000_001_000) }),
        ]
        for (name, act) in acts {
            ERR_clear_error()
            try act()
            #expect(ERR_peek_error() == 0, "\(name)")
        }
        for flaw in CertificateChain.Flaw.allCases {
            let text = try chain.sign(payload, with: flaw)
            ERR_clear_error()
            _ = try? verifier.verify(text, now: 1_796_000_001_000)
            #expect(ERR_peek_error() == 0, "\(flaw)")
        }
    }
}

extension String {
    fileprivate func replacingOccurrence(of old: String, with new: String) -> String {
        split(separator: "\n").map { $0.hasPrefix(old) ? new + $0.dropFirst(old.count) : String($0) }.joined(
            separator: "\n")
    }
}
