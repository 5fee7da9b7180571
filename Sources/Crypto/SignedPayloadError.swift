/// Why a signed payload isn't believed.
package enum SignedPayloadError: Error, Hashable, Sendable, CustomStringConvertible {
    case malformed(JWS.Failure)
    /// Anything but ES256.
    case wrongAlgorithm
    /// `x5c` has to hold three certificates.
    case wrongCertificateCount(Int)
    /// The leaf or the intermediate isn't base64 of a DER certificate.
    case unreadableCertificate
    /// Not a JSON object, or its `signedDate` is no integer.
    case unreadablePayload
    /// `signedDate` lies more than five minutes ahead.
    case signedInFuture
    /// No valid chain to a configured root; the text is OpenSSL's.
    case untrusted(String)
    case missingIntermediateMarker
    case missingLeafMarker
    case leafKeyNotP256
    case wrongSignature

    package var description: String {
        switch self {
        case .malformed(let failure): failure.description
        case .wrongAlgorithm: "The payload isn't signed with ES256."
        case .wrongCertificateCount(let count): "The payload carries \(count) certificates instead of three."
        case .unreadableCertificate: "A certificate of the payload can't be read."
        case .unreadablePayload: "The payload isn't a JSON object, or its signedDate is no integer."
        case .signedInFuture: "The payload says that it was signed in the future. Is a clock wrong?"
        case .untrusted(let reason): "The payload's certificates don't lead to a trusted root: \(reason)."
        case .missingIntermediateMarker:
            "The intermediate certificate lacks Apple's marker \(AppleMarker.intermediate)."
        case .missingLeafMarker: "The leaf certificate lacks Apple's marker \(AppleMarker.leaf)."
        case .leafKeyNotP256: "The leaf certificate's key isn't on P-256."
        case .wrongSignature: "The signature isn't that of the leaf certificate's key."
        }
    }
}
