import Foundation

/// A signature with what it is over, in compact form: `header.payload.signature` (RFC 7515 section 7.1).
///
/// Reading one doesn't check it: nothing in it is to be believed before `isSigned(by:)`.
package struct JWS: Sendable {
    /// The header's members that we write or read; others are ignored.
    package struct Header: Codable, Hashable, Sendable {
        package var alg: String
        package var kid: String?
        package var typ: String?
        /// Certificates as standard base64 of DER, leaf first.
        package var x5c: [String]?
        /// Names of members that a reader must understand; we understand none, so any is refused.
        private(set) var crit: [String]?

        package init(alg: String = "ES256", kid: String? = nil, typ: String? = nil, x5c: [String]? = nil) {
            self.alg = alg
            self.kid = kid
            self.typ = typ
            self.x5c = x5c
        }
    }

    package enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        case notThreeParts
        /// A part isn't base64url without padding.
        case notBase64URL
        /// Not a JSON object with a string `alg`, or a member of the wrong type.
        case unreadableHeader
        /// The header demands an extension of the standard.
        case criticalHeader

        package var description: String {
            switch self {
            case .notThreeParts: "A signed text has three parts between two dots."
            case .notBase64URL: "A part of the signed text isn't base64url without padding."
            case .unreadableHeader: "The header isn't a JSON object with alg, or a member has the wrong type."
            case .criticalHeader: "The header demands an extension (crit) that isn't understood here."
            }
        }
    }

    package let header: Header
    package let payload: [UInt8]
    package let signature: [UInt8]
    /// What the signature is over: the first two parts as they stood in the text, with their dot.
    package let signingInput: [UInt8]

    package init(compact text: String) throws(Failure) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3 else { throw .notThreeParts }
        guard let head = Base64URL.decode(parts[0]), let payload = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { throw .notBase64URL }
        guard let header = try? JSONDecoder().decode(Header.self, from: Data(head)) else { throw .unreadableHeader }
        guard header.crit == nil else { throw .criticalHeader }
        self.header = header
        self.payload = payload
        self.signature = signature
        signingInput = Array((parts[0] + "." + parts[1]).utf8)
    }

    /// Whether the header says ES256 and the signature is this key's. Every other algorithm, `none` included, is no.
    package func isSigned(by key: VerifyingKey) -> Bool {
        header.alg == "ES256" && key.verifyES256(message: signingInput, signature: signature)
    }

    /// Signs with ES256; the header's `alg` is the caller's to set right.
    package static func compact(header: Header, payload: [UInt8], key: SigningKey) -> String {
        compact(header: header, payload: payload) { key.signES256($0) }
    }

    /// Joins the parts around whatever the closure gives as signature.
    static func compact(header: Header, payload: [UInt8], sign: ([UInt8]) -> [UInt8]) -> String {
        let input = encode(header) + "." + Base64URL.encode(payload)
        return input + "." + Base64URL.encode(sign(Array(input.utf8)))
    }

    private static func encode(_ header: Header) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Base64URL.encode([UInt8](try encoder.encode(header)))
        } catch {
            fatalError("strings always encode as JSON: \(error)")
        }
    }
}
