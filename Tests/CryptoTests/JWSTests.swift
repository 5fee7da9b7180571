import Crypto
import Foundation
import TestSupport
import Testing

@Suite struct `A compact JWS` {
    let key = SigningKey.generate()

    @Test func `carries header and payload and is signed by its key alone`() throws {
        let header = JWS.Header(kid: "2X9R4HXF34", typ: "JWT")
        let text = JWS.compact(header: header, payload: Array(#"{"a":1}"#.utf8), key: key)
        let read = try JWS(compact: text)
        #expect(read.header == header)
        #expect(read.payload == Array(#"{"a":1}"#.utf8))
        #expect(read.isSigned(by: key.publicKey))
        #expect(!read.isSigned(by: SigningKey.generate().publicKey))
        let head = try #require(Base64URL.decode(String(text.prefix { $0 != "." })))
        #expect(String(decoding: head, as: UTF8.self) == #"{"alg":"ES256","kid":"2X9R4HXF34","typ":"JWT"}"#)
    }

    @Test func `is that of RFC 7515, appendix A.3`() throws {
        let text =
            "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0"
            + "cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        let x = try #require(Base64URL.decode("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"))
        let y = try #require(Base64URL.decode("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"))
        // SubjectPublicKeyInfo of an uncompressed point on P-256 (RFC 5480).
        let prefix: [UInt8] = [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48,
            0xce,
            0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
        ]
        let pem = "-----BEGIN PUBLIC KEY-----\n\(Base64.encode(prefix + x + y))\n-----END PUBLIC KEY-----\n"
        #expect(try JWS(compact: text).isSigned(by: VerifyingKey(pem: pem)))
        #expect(try !JWS(compact: text).isSigned(by: key.publicKey))
    }

    @Test func `is accepted by the openssl command`() async throws {
        let openssl = try OpenSSLCommand()
        let text = JWS.compact(header: .init(kid: "KEY", typ: "JWT"), payload: Array(#"{"iat":1}"#.utf8), key: key)
        let parts = text.split(separator: ".")
        _ = try openssl.write("input", "\(parts[0]).\(parts[1])")
        _ = try openssl.write("public", key.publicKey.pem)
        let signature = try #require(Base64URL.decode(String(parts[2])))
        try openssl.write("signature", OpenSSLCommand.derSignature(signature))
        let outcome = try await openssl("dgst -sha256 -verify public -signature signature input")
        #expect(outcome.status == 0, "\(outcome.output) \(outcome.errors)")
    }

    @Test func `under another algorithm is never signed`() throws {
        for algorithm in ["none", "HS256", "ES384", "es256", ""] {
            let text = JWS.compact(header: JWS.Header(alg: algorithm), payload: [], key: key)
            #expect(try !JWS(compact: text).isSigned(by: key.publicKey))
        }
    }

    @Test(arguments: [
        ("", JWS.Failure.notThreeParts), ("a.b", .notThreeParts), ("a.b.c.d", .notThreeParts),
        ("..", .unreadableHeader),
        ("e30.e30.", .unreadableHeader), ("e30=.e30.e30", .notBase64URL), ("e30.e 0.e30", .notBase64URL),
        ("e30.e30.A+/A", .notBase64URL), ("W10.e30.e30", .unreadableHeader),
    ])
    func `that is malformed is refused with the reason`(text: String, reason: JWS.Failure) {
        #expect(throws: reason) { try JWS(compact: text) }
    }

    @Test func `with a critical header is refused`() {
        let header = Base64URL.encode(Array(#"{"alg":"ES256","crit":["b64"],"b64":false}"#.utf8))
        #expect(throws: JWS.Failure.criticalHeader) { try JWS(compact: header + ".e30.") }
        let wrongType = Base64URL.encode(Array(#"{"alg":256}"#.utf8))
        #expect(throws: JWS.Failure.unreadableHeader) { try JWS(compact: wrongType + ".e30.") }
    }
}
