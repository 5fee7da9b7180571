import Crypto
import Foundation
import TestSupport
import Testing

@Suite struct `A certificate chain of our own` {
    let openssl: OpenSSLCommand
    /// One hour back to ten years ahead.
    static let validity: ClosedRange<Int64> = {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        return now - 3_600_000...now + 315_360_000_000
    }()

    init() throws { openssl = try OpenSSLCommand() }

    @Test(arguments: [Curve.p384, .p256])
    func `is valid for the openssl command, to its root and in its middle`(curve: Curve) async throws {
        let chain = try CertificateChain(validity: Self.validity, caCurve: curve)
        _ = try openssl.write("root", chain.rootPEM)
        _ = try openssl.write("intermediate", chain.intermediatePEM)
        _ = try openssl.write("leaf", chain.leafPEM)
        for line in [
            "verify -x509_strict -CAfile root -untrusted intermediate leaf",
            "verify -x509_strict -partial_chain -CAfile intermediate leaf",
            "verify -x509_strict -check_ss_sig -CAfile root root",
        ] {
            let outcome = try await openssl(line)
            #expect(outcome.status == 0, "\(outcome.output) \(outcome.errors)")
        }
        let withoutMiddle = try await openssl("verify -CAfile root leaf")
        #expect(withoutMiddle.status != 0)
    }

    @Test func `has the shape of Apple's`() async throws {
        let chain = try CertificateChain(validity: Self.validity)
        func text(_ pem: String) async throws -> String {
            _ = try openssl.write("certificate", pem)
            return try await openssl("x509 -in certificate -noout -text").output
        }
        let root = try await text(chain.rootPEM)
        #expect(root.contains("CA:TRUE\n") && root.contains("ecdsa-with-SHA384") && root.contains("secp384r1"))
        let intermediate = try await text(chain.intermediatePEM)
        #expect(intermediate.contains("CA:TRUE, pathlen:0") && intermediate.contains("ecdsa-with-SHA384"))
        #expect(intermediate.contains("1.2.840.113635.100.6.2.1: \n                ..\n"))
        let leaf = try await text(chain.leafPEM)
        #expect(leaf.contains("CA:FALSE") && leaf.contains("Digital Signature\n") && leaf.contains("prime256v1"))
        #expect(leaf.contains("1.2.840.113635.100.6.11.1: \n                ..\n"))
        let fromLeaf = try #require(Base64.decode(chain.x5c[0]))
        let marker: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x63, 0x64, 0x06, 0x0b, 0x01, 0x04, 0x02, 0x05, 0x00]
        #expect(Data(fromLeaf).range(of: Data(marker)) != nil)
    }

    @Test func `lists leaf, intermediate, root as standard base64`() async throws {
        let chain = try CertificateChain(validity: Self.validity)
        let pems = chain.x5c.map { "-----BEGIN CERTIFICATE-----\n\($0)\n-----END CERTIFICATE-----\n" }
        var subjects: [String] = []
        for pem in pems {
            _ = try openssl.write("certificate", pem)
            subjects.append(try await openssl("x509 -in certificate -noout -subject").output)
        }
        #expect(subjects[0].contains("Receipt Signing"))
        #expect(subjects[1].contains("Developer Relations"))
        #expect(subjects[2].contains("Root CA"))
    }

    @Test func `signs with its leaf's key and names the chain`() throws {
        let chain = try CertificateChain(validity: Self.validity)
        let jws = try JWS(compact: chain.sign(Array("{}".utf8)))
        #expect(jws.header.alg == "ES256" && jws.header.x5c == chain.x5c)
        let leaf = try #require(Base64.decode(chain.x5c[0]))
        #expect(jws.isSigned(by: try VerifyingKey(certificateDER: leaf)))
    }

    @Test func `signs what the openssl command accepts from the text alone`() async throws {
        let chain = try CertificateChain(validity: Self.validity)
        let parts = chain.sign(Array(#"{"signedDate":1}"#.utf8)).split(separator: ".").map(String.init)
        let header = try #require(Base64URL.decode(parts[0]))
        struct Header: Decodable { let x5c: [String] }
        let x5c = try JSONDecoder().decode(Header.self, from: Data(header)).x5c
        for (name, text) in zip(["leaf", "intermediate", "root"], x5c) {
            _ = try openssl.write(name, "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n")
        }
        try await openssl.make("verify -CAfile root -untrusted intermediate leaf")
        let publicKey = try await openssl("x509 -in leaf -noout -pubkey").output
        _ = try openssl.write("public", publicKey)
        _ = try openssl.write("input", parts[0] + "." + parts[1])
        try openssl.write("signature", OpenSSLCommand.derSignature(#require(Base64URL.decode(parts[2]))))
        try await openssl.make("dgst -sha256 -verify public -signature signature input")
    }

    @Test func `is valid when it says, also beyond 2050`() async throws {
        // 2020-01-02T03:04:05Z to 2051-01-01T00:00:00Z, where X.509 changes how it writes a year.
        let chain = try CertificateChain(validity: 1_577_934_245_000...2_556_144_000_999)
        _ = try openssl.write("leaf", chain.leafPEM)
        let dates = try await openssl("x509 -in leaf -noout -dates").output
        #expect(dates == "notBefore=Jan  2 03:04:05 2020 GMT\nnotAfter=Jan  1 00:00:00 2051 GMT\n")
    }
}
