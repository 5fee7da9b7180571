import COpenSSL

/// Owns one X.509 certificate that is only read.
// @unchecked: nobody changes the X509 once it is here; OpenSSL locks what it caches inside.
final class Certificate: @unchecked Sendable {
    private let raw: OpaquePointer

    init(der: [UInt8]) throws(OpenSSLError) {
        raw = try der.withUnsafeBufferPointer { buffer throws(OpenSSLError) in
            var start = buffer.baseAddress
            let end = start.map { $0 + buffer.count }
            let made = try OpenSSL.found(d2i_X509(nil, &start, buffer.count), "d2i_X509")
            guard start == end else {
                X509_free(made)
                throw OpenSSLError(from: "d2i_X509")
            }
            return made
        }
    }

    /// Takes over what a C function made.
    init(_ made: OpaquePointer?, by function: StaticString) throws(OpenSSLError) {
        raw = try OpenSSL.found(made, function)
    }

    deinit { X509_free(raw) }

    func use<Result, Failure>(_ body: (OpaquePointer) throws(Failure) -> Result) throws(Failure) -> Result {
        // The object, not just the pointer, has to outlive the call.
        defer { withExtendedLifetime(self) {} }
        return try body(raw)
    }

    func publicKey() throws(OpenSSLError) -> KeyHandle {
        try use { certificate throws(OpenSSLError) in
            try KeyHandle(X509_get_pubkey(certificate), by: "X509_get_pubkey")
        }
    }

    /// Whether an extension with this dotted identifier is there, whatever it says.
    func hasExtension(_ identifier: String) throws(OpenSSLError) -> Bool {
        let object = try Owned(OBJ_txt2obj(identifier, 1), by: "OBJ_txt2obj") { ASN1_OBJECT_free($0) }
        return use { certificate in object.use { X509_get_ext_by_OBJ(certificate, $0, -1) >= 0 } }
    }

    func der() throws(OpenSSLError) -> [UInt8] {
        try use { certificate throws(OpenSSLError) in
            try OpenSSL.der("i2d_X509") { i2d_X509(certificate, $0) }
        }
    }
}

/// The extensions by which Apple marks the certificates of its signed payloads; both hold DER NULL.
enum AppleMarker {
    static let intermediate = "1.2.840.113635.100.6.2.1"
    static let leaf = "1.2.840.113635.100.6.11.1"
}
