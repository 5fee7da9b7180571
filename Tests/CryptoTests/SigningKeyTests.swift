import Crypto
import Foundation
import TestSupport
import Testing

@Suite struct `A signing key` {
    let openssl: OpenSSLCommand

    init() throws { openssl = try OpenSSLCommand() }

    @Test func `is read from what App Store Connect gives out, whatever the line ends`() async throws {
        try await openssl.make("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.p8")
        let bytes = try openssl.read("key.p8")
        let text = String(decoding: bytes, as: UTF8.self)
        let key = try SigningKey(p8: bytes)
        #expect(key.pemPKCS8 == text)
        for variant in [
            text.replacingOccurrences(of: "\n", with: "\r\n"), "\u{FEFF}" + text, "\n\n  " + text,
            String(text.dropLast()),
            "Bag Attributes\n    friendlyName: x\n" + text,
        ] {
            #expect(try SigningKey(p8: Array(variant.utf8)).pemPKCS8 == text)
        }
    }

    @Test func `is read without its public half, which it implies`() async throws {
        try await openssl.make("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out whole")
        try await openssl.make("ec -in whole -no_public -out half")
        try await openssl.make("pkcs8 -topk8 -nocrypt -in half -out key")
        let (whole, half) = (try SigningKey(p8: openssl.read("whole")), try SigningKey(p8: openssl.read("key")))
        #expect(try openssl.read("key").count < openssl.read("whole").count)
        #expect(whole.publicKey.verifyES256(message: [1], signature: half.signES256([1])))
    }

    /// What stands for the key, how `openssl` makes it, what the error has to be.
    struct Wrong: CustomTestStringConvertible {
        let error: SigningKeyError
        let makes: [String]
        var testDescription: String { "\(error)".prefix(40) + "…" }
    }

    static let wrongKinds: [Wrong] = [
        Wrong(error: .sec1, makes: ["ecparam -name prime256v1 -genkey -noout -out key"]),
        Wrong(error: .sec1, makes: ["ecparam -name prime256v1 -genkey -out key"]),
        Wrong(error: .rsa, makes: ["genrsa -traditional -out key 2048"]),
        Wrong(error: .rsa, makes: ["genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out key"]),
        Wrong(error: .wrongCurve("P-384"), makes: ["genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384 -out key"]),
        Wrong(error: .wrongCurve("P-521"), makes: ["genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-521 -out key"]),
        Wrong(
            error: .wrongCurve("secp256k1"),
            makes: ["genpkey -algorithm EC -pkeyopt ec_paramgen_curve:secp256k1 -out key"]),
        Wrong(error: .wrongAlgorithm("ED25519"), makes: ["genpkey -algorithm ED25519 -out key"]),
        Wrong(error: .publicKey, makes: ["pkey -in good -pubout -out key"]),
        Wrong(error: .certificate, makes: ["req -x509 -key good -subj /CN=x -out key"]),
        Wrong(error: .certificateRequest, makes: ["req -new -key good -subj /CN=x -out key"]),
        Wrong(error: .encrypted, makes: ["pkcs8 -topk8 -in good -passout pass:secret -out key"]),
        Wrong(error: .encrypted, makes: ["ec -in good -aes128 -passout pass:secret -out key"]),
        Wrong(error: .der, makes: ["pkcs8 -topk8 -nocrypt -in good -outform DER -out key"]),
        Wrong(error: .der, makes: ["ec -in good -outform DER -out key"]),
        Wrong(error: .der, makes: ["genrsa -out rsa 2048", "pkcs8 -topk8 -nocrypt -in rsa -outform DER -out key"]),
    ]

    @Test(arguments: wrongKinds)
    func `of a wrong kind is refused by name`(wrong: Wrong) async throws {
        try await openssl.make("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out good")
        for line in wrong.makes { try await openssl.make(line) }
        let bytes = try openssl.read("key")
        let error = #expect(throws: SigningKeyError.self) { try SigningKey(p8: bytes) }
        #expect(error == wrong.error)
        let secret = String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst().first ?? ""
        #expect(try #require(error).description.contains(secret.prefix(16)) == false)
    }

    @Test func `of OpenSSH is refused by name`() async throws {
        let made = try await openssl("-q -t ecdsa -N EMPTY -f key", program: "ssh-keygen")
        if made.status == 0 {
            #expect(throws: SigningKeyError.openSSH) { try SigningKey(p8: openssl.read("key")) }
            #expect(throws: SigningKeyError.publicKey) { try SigningKey(p8: openssl.read("key.pub")) }
        }
        let envelope = "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n"
        #expect(throws: SigningKeyError.openSSH) { try SigningKey(pem: envelope) }
        #expect(throws: SigningKeyError.publicKey) { try SigningKey(pem: "ecdsa-sha2-nistp256 AAAA me@here") }
    }

    @Test func `that was damaged on its way is refused, and the error says how`() throws {
        let text = SigningKey.generate().pemPKCS8
        let lines = text.split(separator: "\n").map(String.init)
        let body = lines[1...3].joined()
        func wrapped(_ body: String, _ label: String = "PRIVATE KEY") -> String {
            "-----BEGIN \(label)-----\n\(body)\n-----END \(label)-----\n"
        }
        let expectations: [(String, SigningKeyError)] = [
            ("", .empty), (" \n\t\n", .empty), ("file:AuthKey.p8", .notPEM), (body, .bareBase64),
            (lines.joined(separator: "\\n"), .escapedLineBreaks), (text + text, .severalBlocks),
            (lines.dropLast().joined(separator: "\n"), .truncated),
            (lines.prefix(2).joined(separator: "\n"), .truncated),
            (wrapped(String(body.dropLast(4))), .truncated), (wrapped(String(body.dropLast(1))), .truncated),
            (wrapped(""), .truncated), (wrapped(lines[1]), .truncated), (wrapped("MAA="), .unreadable),
            (wrapped(body, "PGP PRIVATE KEY BLOCK"), .unknownLabel), (lines.joined(separator: " "), .truncated),
        ]
        for (text, expected) in expectations {
            let error = #expect(throws: SigningKeyError.self, "\(expected)") { try SigningKey(p8: Array(text.utf8)) }
            #expect(error == expected)
            #expect(error?.description.contains(body.prefix(12)) == false)
        }
        #expect(throws: SigningKeyError.notPEM) { try SigningKey(p8: [0xFF, 0xFE, 0x2D, 0x00, 0x2D, 0x00]) }
    }

    @Test func `whose public half belongs to another key is refused`() throws {
        // PKCS#8 of a P-256 key ends with the 65 bytes of the public point.
        func der(_ key: SigningKey) throws -> [UInt8] {
            try #require(Base64.decode(key.pemPKCS8.split(separator: "\n").dropFirst().dropLast().joined()))
        }
        let mixed = try der(.generate()).dropLast(65) + der(.generate()).suffix(65)
        let text = "-----BEGIN PRIVATE KEY-----\n\(Base64.encode(Array(mixed)))\n-----END PRIVATE KEY-----\n"
        #expect(throws: SigningKeyError.inconsistent) { try SigningKey(pem: text) }
    }

    @Test func `prints nothing of itself`() {
        let key = SigningKey.generate()
        var dumped = ""
        dump(key, to: &dumped)
        #expect("\(key) \(String(reflecting: key)) \(dumped)".contains("0x") == false)
        #expect("\(key)" == "<private key>")
    }

    @Test func `signs in the raw form that the openssl command accepts once it is turned into DER`() async throws {
        let key = SigningKey.generate()
        let message = Array("header.payload".utf8)
        try openssl.write("message", message)
        _ = try openssl.write("public.pem", key.publicKey.pem)
        // Enough signatures to meet an r or s with leading zero bytes or a set top bit.
        for round in 0..<200 {
            let signature = key.signES256(message)
            #expect(signature.count == 64)
            #expect(key.publicKey.verifyES256(message: message, signature: signature))
            guard round < 5 || signature[0] == 0 || signature[32] == 0 else { continue }
            try openssl.write("signature", OpenSSLCommand.derSignature(signature))
            let outcome = try await openssl("dgst -sha256 -verify public.pem -signature signature message")
            #expect(outcome.status == 0, "\(outcome.output) \(outcome.errors)")
        }
    }
}
