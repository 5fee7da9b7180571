import Crypto
import Foundation
import Synchronization
package import Telemetry

/// The token that one app's requests carry, made ahead of need and used again while it is good.
///
/// Apple allows an hour and reuse until expiry; Apple's own library takes five minutes (App Store Server API,
/// "Generating JSON Web Tokens for API requests"). Time is a parameter and comes from Redis: the machines of a fleet
/// needn't agree on theirs.
package final class ProviderToken: Sendable {
    /// Seconds from `iat` to `exp`.
    package static let lifetime: Int64 = 300
    /// Seconds from `iat` during which a token is used again; the rest covers a slow request and clock skew.
    package static let reuse: Int64 = 240

    private let credentials: AppCredentials
    private let cached = Mutex<Issued?>(nil)

    private struct Issued {
        let token: Secret<String>
        let at: Int64
    }

    package init(credentials: AppCredentials) { self.credentials = credentials }

    /// A token that is good for a minute at least.
    ///
    /// - Parameter nowSeconds: UNIX seconds, from Redis' `TIME`.
    package func token(nowSeconds: Int64) -> Secret<String> {
        cached.withLock { cached in
            // A token from the future is one issued before time was set back: Apple may refuse it.
            if let issued = cached, (0..<Self.reuse).contains(nowSeconds - issued.at) { return issued.token }
            let issued = Issued(token: Secret(makeToken(at: nowSeconds)), at: nowSeconds)
            cached = issued
            return issued.token
        }
    }

    /// Forgets a token that Apple answered with 401, so that the next request carries a fresh one.
    ///
    /// Late 401s to an earlier token leave the one that has taken its place alone.
    package func drop(_ refused: Secret<String>) {
        cached.withLock { cached in
            if cached?.token.reveal() == refused.reveal() { cached = nil }
        }
    }

    /// Claims as section "Create the JWT payload" of that page has them.
    private struct Claims: Encodable {
        let iss: String
        let iat: Int64
        let exp: Int64
        let aud = "appstoreconnect-v1"
        let bid: String
    }

    private func makeToken(at now: Int64) -> String {
        let claims = Claims(
            iss: credentials.issuerId, iat: now, exp: now + Self.lifetime, bid: credentials.bundleId)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            let payload = [UInt8](try encoder.encode(claims))
            return JWS.compact(
                header: JWS.Header(kid: credentials.keyId, typ: "JWT"), payload: payload, key: credentials.key)
        } catch {
            fatalError("strings and integers always encode as JSON: \(error)")
        }
    }
}
