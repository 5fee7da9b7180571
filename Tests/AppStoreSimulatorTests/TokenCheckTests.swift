import AppStoreSimulator
import Testing

@Suite struct TokenCheckTests {
    static let refused: [(String, TestApp)] = [
        ("algorithm", TestApp(algorithm: "HS256")),
        ("algorithm", TestApp(algorithm: "none")),
        ("unknownKey", TestApp(keyId: "NOTMINE999")),
        ("unknownKey", TestApp(without: "kid")),
        ("issuer", TestApp(issuerId: "99999999-2222-3333-4444-555555555555")),
        ("issuer", TestApp(without: "iss")),
        ("audience", TestApp(audience: "advanced-commerce-api")),
        ("audience", TestApp(without: "aud")),
        ("unknownBundle", TestApp(bundleId: "com.example.other")),
        ("unknownBundle", TestApp(without: "bid")),
        ("times", TestApp(without: "iat")),
        ("times", TestApp(without: "exp")),
        ("expired", TestApp(issuedAgo: 400)),
        ("notYetValid", TestApp(issuedAgo: -120)),
        ("tooLong", TestApp(lifetime: 3601)),
        ("signature", TestApp(key: TestApp.otherKey)),
    ]

    @Test(arguments: 0..<refused.count)
    func `a wrong token gets a plain 401 and the journal says why`(index: Int) async throws {
        let (why, app) = Self.refused[index]
        try await withSimulator { world in
            let reply = await world.call(.refund, "4711", Bodies.refund(), authorization: app.authorization)
            #expect(reply.status == 401)
            #expect(reply.code == nil)
            #expect(reply.text.hasPrefix("Unauthenticated"))
            #expect(reply.values(of: "content-type") == ["text/plain;charset=utf-8"])
            let entry = try #require(await world.entries(of: "4711").first)
            #expect(entry.token == why)
            #expect(!entry.isProcessed)
        }
    }

    @Test(arguments: [nil, "", "Bearer", "Bearer a.b", "Bearer a.b.c", "Basic dTpw"])
    func `what is no token is a 401`(authorization: String?) async throws {
        try await withSimulator { world in
            let reply = await world.call(.refund, "4711", Bodies.refund(), authorization: authorization)
            #expect(reply.status == 401)
        }
    }

    @Test func `an hour is not too long, and a token may be used again and again`() async throws {
        try await withSimulator { world in
            let authorization = TestApp(lifetime: 3600).authorization
            for transactionId in ["1", "2", "3"] {
                let reply = await world.call(.refund, transactionId, Bodies.refund(), authorization: authorization)
                #expect(reply.status == 200)
            }
        }
    }

    @Test func `a known good signature doesn't open the door to a changed token`() async throws {
        try await withSimulator { world in
            let good = TestApp().authorization
            #expect(await world.call(.refund, "1", Bodies.refund(), authorization: good).status == 200)
            let parts = good.split(separator: ".")
            let other = TestApp(lifetime: 200).authorization.split(separator: ".")
            let mixed = "\(parts[0]).\(other[1]).\(parts[2])"
            #expect(await world.call(.refund, "1", Bodies.refund(), authorization: mixed).status == 401)
        }
    }
}
