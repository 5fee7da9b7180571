import Crypto
import Foundation

/// An app's credentials in tests, and the tokens made with them, right or wrong.
struct TestApp {
    static let key = SigningKey.generate()
    static let otherKey = SigningKey.generate()

    var bundleId = "com.example.reader"
    var issuerId = "11111111-2222-3333-4444-555555555555"
    var keyId = "ABC123DEFG"
    var audience = "appstoreconnect-v1"
    var algorithm = "ES256"
    var issuedAgo = 0
    var lifetime = 300
    var key = Self.key
    var without: String?

    /// The app as it stands in a scenario, with further members.
    static func configured(_ members: String = "") -> String {
        let pem = key.publicKey.pem.replacingOccurrences(of: "\n", with: "\\n")
        return """
            "com.example.reader": {
              issuerId: "11111111-2222-3333-4444-555555555555", keyId: "ABC123DEFG", publicKey: "\(pem)", \(members)
            }
            """
    }

    var authorization: String {
        let now = Int(Date().timeIntervalSince1970)
        var claims = [
            "iss": "\"\(issuerId)\"", "aud": "\"\(audience)\"", "bid": "\"\(bundleId)\"",
            "iat": String(now - issuedAgo), "exp": String(now - issuedAgo + lifetime),
        ]
        if let without { claims[without] = nil }
        let payload = "{" + claims.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
        let header = JWS.Header(alg: algorithm, kid: without == "kid" ? nil : keyId, typ: "JWT")
        return "Bearer " + JWS.compact(header: header, payload: Array(payload.utf8), key: key)
    }
}
