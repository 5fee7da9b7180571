/// Why something is no key that Apple's API can be called with. Says what it is instead and what to do; never
/// quotes it.
package enum SigningKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    case empty
    /// Nothing that looks like PEM at all.
    case notPEM
    /// A BEGIN line without its END, or base64 or DER that stops short.
    case truncated
    /// Whole on the outside, but not readable as a PKCS#8 key.
    case unreadable
    /// Readable, but the number is no private key of its curve, or doesn't belong to the public key beside it.
    case inconsistent
    case der
    /// The base64 of a key without its BEGIN and END lines.
    case bareBase64
    /// Line breaks written as backslash and n, as environment files often have them.
    case escapedLineBreaks
    /// More than one block, so that it isn't clear which one is meant.
    case severalBlocks
    /// "EC PRIVATE KEY", the older form of RFC 5915.
    case sec1
    case rsa
    /// An elliptic-curve key, on this curve.
    case wrongCurve(String)
    /// Neither RSA nor on an elliptic curve; the name is OpenSSL's.
    case wrongAlgorithm(String)
    case encrypted
    case openSSH
    case publicKey
    case certificate
    case certificateRequest
    /// A PEM block with a label that no key bears.
    case unknownLabel

    package var description: String {
        let download = "Use the .p8 file of an In-App Purchase key as App Store Connect gave it"
        return switch self {
        case .empty: "The key is empty. \(download)."
        case .notPEM:
            "This is no PEM text: there is no line -----BEGIN PRIVATE KEY-----. \(download)."
        case .truncated:
            "The key is cut off or damaged in the middle. \(download); it has a BEGIN line, base64 and an END line."
        case .unreadable:
            "The block says PRIVATE KEY, but what is inside is no PKCS#8 key. \(download)."
        case .inconsistent:
            "The key's parts contradict each other, so it is damaged or made up. \(download)."
        case .der:
            """
            This is a key in binary DER. Turn it into PEM: \
            openssl pkcs8 -topk8 -nocrypt -inform DER -in KEY -out AuthKey.p8
            """
        case .bareBase64:
            "This is a key's base64 without its lines -----BEGIN PRIVATE KEY----- and -----END PRIVATE KEY-----. Add them."
        case .escapedLineBreaks:
            "The key's line breaks are written as \\n. Write real line breaks, or name the file: file:AuthKey.p8."
        case .severalBlocks: "There is more than one PEM block here. Keep only the one that says PRIVATE KEY."
        case .sec1:
            """
            This is an EC key in SEC1 form ("EC PRIVATE KEY"), not PKCS#8. An In-App Purchase key never looks like \
            this; if it is one that was converted, convert it back: openssl pkcs8 -topk8 -nocrypt -in KEY -out AuthKey.p8
            """
        case .rsa: "This is an RSA key. Apple's API is called with a P-256 key. \(download)."
        case .wrongCurve(let name):
            "This is a key on the curve \(name). Apple's API is called with a key on P-256. \(download)."
        case .wrongAlgorithm(let name):
            "This is a key for \(name). Apple's API is called with a P-256 key. \(download)."
        case .encrypted:
            """
            The key is encrypted with a passphrase. Decrypt it and guard the file instead: \
            openssl pkcs8 -in KEY -out AuthKey.p8
            """
        case .openSSH: "This is an OpenSSH key, for logging in to machines. \(download)."
        case .publicKey: "This is a public key; signing needs the private one. \(download)."
        case .certificate: "This is a certificate, not a private key. \(download)."
        case .certificateRequest: "This is a certificate request, not a private key. \(download)."
        case .unknownLabel:
            "This PEM block is no private key. \(download); its first line is -----BEGIN PRIVATE KEY-----."
        }
    }
}
