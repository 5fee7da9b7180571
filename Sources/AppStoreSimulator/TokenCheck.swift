import Crypto

/// Reads the bearer token of a call as Apple documents it: ES256, a known key, the audience, an hour at most.
///
/// Every failure is the same plain 401 outside; what it was stands in the journal.
struct TokenCheck: Sendable {
    enum Failure: String, Error, Sendable, CaseIterable {
        case missing
        /// Not three parts of base64url, or not JSON.
        case malformed
        case algorithm
        case unknownBundle
        case unknownKey
        case issuer
        case audience
        /// `iat` or `exp` isn't there, or isn't a number.
        case times
        case expired
        /// `iat` lies further ahead than a minute. How much skew Apple grants is unknown.
        case notYetValid
        /// `exp` lies more than 60 minutes after `iat`.
        case tooLong
        case signature
    }

    struct Outcome {
        /// As the token claims it, also when the token fails.
        var bundleId: String?
        var result: Result<SimulatedApp, Failure>
    }

    fileprivate struct Claims {
        var bundleId: String?
        var issuer: String?
        var audience: String?
        var issuedAt: Int64?
        var expires: Int64?
    }

    /// Tokens whose signature was found good, so that a token costs one verification and not one for each call.
    private var verified: Set<String> = []

    mutating func check(_ authorization: String?, for scenario: Scenario, wallMs: Int64) -> Outcome {
        guard let authorization, authorization.hasPrefix("Bearer ") else {
            return Outcome(result: .failure(.missing))
        }
        let text = String(authorization.dropFirst("Bearer ".count))
        guard let token = try? JWS(compact: text), let payload = JSONValue(reading: token.payload) else {
            return Outcome(result: .failure(.malformed))
        }
        let claims = Claims(payload)
        do throws(Failure) {
            let app = try app(of: token, claims, in: scenario)
            try checkTimes(of: claims, nowSeconds: wallMs / 1000)
            try checkSignature(of: token, text, by: app)
            return Outcome(bundleId: claims.bundleId, result: .success(app))
        } catch {
            return Outcome(bundleId: claims.bundleId, result: .failure(error))
        }
    }

    /// The bundle that a token claims, unverified: what a machine in front of Apple could know of a call.
    static func claimedBundle(in authorization: String?) -> String? {
        guard let authorization, authorization.hasPrefix("Bearer "),
            let token = try? JWS(compact: String(authorization.dropFirst("Bearer ".count))),
            let payload = JSONValue(reading: token.payload)
        else { return nil }
        return payload["bid"]?.string
    }

    private func app(of token: JWS, _ claims: Claims, in scenario: Scenario) throws(Failure) -> SimulatedApp {
        guard token.header.alg == "ES256" else { throw .algorithm }
        guard let keyId = token.header.kid, !keyId.isEmpty else { throw .unknownKey }
        guard let issuer = claims.issuer, !issuer.isEmpty else { throw .issuer }
        guard claims.audience == "appstoreconnect-v1" else { throw .audience }
        guard let bundleId = claims.bundleId, !bundleId.isEmpty else { throw .unknownBundle }
        guard let app = scenario.apps[bundleId] else {
            guard scenario.acceptsAnyApp else { throw .unknownBundle }
            return SimulatedApp(bundleId: bundleId)
        }
        guard app.keyId == nil || app.keyId == keyId else { throw .unknownKey }
        guard app.issuerId == nil || app.issuerId == issuer else { throw .issuer }
        return app
    }

    private func checkTimes(of claims: Claims, nowSeconds: Int64) throws(Failure) {
        guard let issuedAt = claims.issuedAt, let expires = claims.expires else { throw .times }
        guard expires - issuedAt <= 3600 else { throw .tooLong }
        guard expires > nowSeconds else { throw .expired }
        guard issuedAt <= nowSeconds + 60 else { throw .notYetValid }
    }

    private mutating func checkSignature(of token: JWS, _ text: String, by app: SimulatedApp) throws(Failure) {
        guard let key = app.key else {
            guard token.signature.count == 64 else { throw .signature }
            return
        }
        // The bundle is part of the token's text, so an entry is good for this app only, as long as its key stays.
        guard !verified.contains(text) else { return }
        guard token.isSigned(by: key) else { throw .signature }
        if verified.count >= 1000 { verified.removeAll() }
        verified.insert(text)
    }

    mutating func forget() { verified.removeAll() }
}

extension TokenCheck.Claims {
    fileprivate init(_ payload: JSONValue) {
        bundleId = payload["bid"]?.string
        issuer = payload["iss"]?.string
        audience = payload["aud"]?.string
        issuedAt = payload["iat"]?.integer
        expires = payload["exp"]?.integer
    }
}
