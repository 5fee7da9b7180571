import AppStore
import Crypto
import Foundation
import Refunds
import Telemetry
import Testing

@Suite struct `A provider token` {
    let credentials: AppCredentials
    let token: ProviderToken
    let now: Int64 = 1_796_036_400

    init() throws {
        credentials = try AppCredentials(
            bundleId: "com.example.reader", issuerId: "11111111-2222-3333-4444-555555555555", keyId: "ABC123DEFG",
            key: .generate(), environment: .sandbox)
        token = ProviderToken(credentials: credentials)
    }

    @Test func `says what Apple wants to know, signed by the app's key`() throws {
        let jws = try JWS(compact: token.token(nowSeconds: now).reveal())
        #expect(jws.header == JWS.Header(alg: "ES256", kid: "ABC123DEFG", typ: "JWT"))
        let expected =
            #"{"aud":"appstoreconnect-v1","bid":"com.example.reader","exp":1796036700,"iat":1796036400,"#
            + #""iss":"11111111-2222-3333-4444-555555555555"}"#
        #expect(String(decoding: jws.payload, as: UTF8.self) == expected)
        #expect(jws.isSigned(by: credentials.key.publicKey))
    }

    @Test func `survives names that JSON has to escape`() throws {
        let odd = try AppCredentials(
            bundleId: #"com."x\/"#, issuerId: "ü\n", keyId: #"a"b"#, key: .generate(), environment: .sandbox)
        let jws = try JWS(compact: ProviderToken(credentials: odd).token(nowSeconds: now).reveal())
        let claims = try JSON(reading: jws.payload)
        #expect(claims["bid"]?.string == #"com."x\/"#)
        #expect(claims["iss"]?.string == "ü\n")
        #expect(jws.header.kid == #"a"b"#)
    }

    @Test func `is used again for four minutes, then made anew`() {
        let first = token.token(nowSeconds: now).reveal()
        #expect(token.token(nowSeconds: now + 239).reveal() == first)
        let second = token.token(nowSeconds: now + 240).reveal()
        #expect(second != first)
        #expect(token.token(nowSeconds: now + 479).reveal() == second)
    }

    @Test func `is made anew when time was set back`() throws {
        _ = token.token(nowSeconds: now)
        let jws = try JWS(compact: token.token(nowSeconds: now - 10).reveal())
        #expect(try JSON(reading: jws.payload)["iat"]?.integer == now - 10)
    }

    @Test func `is made anew once it was refused, but not for a late refusal of an earlier one`() {
        let first = token.token(nowSeconds: now)
        token.drop(first)
        let second = token.token(nowSeconds: now + 1)
        #expect(second.reveal() != first.reveal())
        token.drop(first)
        #expect(token.token(nowSeconds: now + 2).reveal() == second.reveal())
    }

    @Test func `is the same for everybody who asks at once`() async {
        let tokens = await withTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { token.token(nowSeconds: now).reveal() } }
            return await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
    }

    @Test func `isn't printed`() {
        let secret = token.token(nowSeconds: now)
        var dumped = ""
        dump(secret, to: &dumped)
        dump(token, to: &dumped)
        #expect("\(secret) \(String(reflecting: secret)) \(dumped)".contains("eyJ") == false)
    }
}
