import Crypto
import TestSupport
import Testing

@Suite struct `A verifying key` {
    let openssl: OpenSSLCommand

    init() throws { openssl = try OpenSSLCommand() }

    @Test func `accepts what the openssl command signed, in the raw form only`() async throws {
        try await openssl.make("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key")
        try await openssl.make("pkey -in key -pubout -out public")
        try openssl.write("message", Array("abc".utf8))
        let key = try VerifyingKey(pem: String(decoding: openssl.read("public"), as: UTF8.self))
        for _ in 0..<10 {
            try await openssl.make("dgst -sha256 -sign key -out signature message")
            let der = try openssl.read("signature")
            #expect(!key.verifyES256(message: Array("abc".utf8), signature: der))
            #expect(key.verifyES256(message: Array("abc".utf8), signature: raw(der)))
            #expect(!key.verifyES256(message: Array("abd".utf8), signature: raw(der)))
        }
    }

    @Test func `refuses every signature that isn't the right one`() {
        let key = SigningKey.generate()
        let message = Array("abc".utf8)
        let signature = key.signES256(message)
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 1
            #expect(!key.publicKey.verifyES256(message: message, signature: changed))
        }
        let zeros = [UInt8](repeating: 0, count: 64)
        let largest = [UInt8](repeating: 255, count: 64)
        for wrong in [[], zeros, largest, Array(signature.dropLast()), signature + [0], Array(signature.reversed())] {
            #expect(!key.publicKey.verifyES256(message: message, signature: wrong))
        }
        #expect(!SigningKey.generate().publicKey.verifyES256(message: message, signature: signature))
    }

    @Test func `is read from its own PEM and from a certificate`() async throws {
        let key = SigningKey.generate()
        let signature = key.signES256([1, 2, 3])
        #expect(try VerifyingKey(pem: key.publicKey.pem).verifyES256(message: [1, 2, 3], signature: signature))
        _ = try openssl.write("key", key.pemPKCS8)
        try await openssl.make("req -x509 -key key -subj /CN=x -outform DER -out certificate")
        let fromCertificate = try VerifyingKey(certificateDER: openssl.read("certificate"))
        #expect(fromCertificate.verifyES256(message: [1, 2, 3], signature: signature))
    }

    @Test func `isn't read from anything else`() async throws {
        try await openssl.make("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384 -out key")
        try await openssl.make("pkey -in key -pubout -out public")
        try await openssl.make("req -x509 -key key -subj /CN=x -outform DER -out certificate")
        let wrongCurve = String(decoding: try openssl.read("public"), as: UTF8.self)
        #expect(throws: VerifyingKey.Failure.notP256) { try VerifyingKey(pem: wrongCurve) }
        let certificate = try openssl.read("certificate")
        #expect(throws: VerifyingKey.Failure.notP256) { try VerifyingKey(certificateDER: certificate) }
        #expect(throws: VerifyingKey.Failure.unreadable) { try VerifyingKey(certificateDER: certificate + [0]) }
        #expect(throws: VerifyingKey.Failure.unreadable) { try VerifyingKey(certificateDER: []) }
        let secret = SigningKey.generate().pemPKCS8
        for text in ["", "abc", secret] {
            #expect(throws: VerifyingKey.Failure.unreadable) { try VerifyingKey(pem: text) }
        }
    }

    /// The two numbers of an ECDSA-Sig-Value, each padded to 32 bytes.
    private func raw(_ der: [UInt8]) -> [UInt8] {
        var rest = der.dropFirst(2)
        var raw: [UInt8] = []
        while let count = rest.dropFirst().first {
            let number = Array(rest.dropFirst(2).prefix(Int(count)).drop { $0 == 0 })
            raw += [UInt8](repeating: 0, count: 32 - number.count) + number
            rest = rest.dropFirst(2 + Int(count))
        }
        return raw
    }
}
