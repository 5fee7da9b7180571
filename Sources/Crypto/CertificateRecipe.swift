import COpenSSL

/// What one certificate of a self-made chain says; `issue` makes it.
struct CertificateRecipe {
    enum Role {
        case root, intermediate, leaf, server

        /// Extensions as OpenSSL's configuration files write them (x509v3_config).
        fileprivate var extensions: [(identifier: Int32, value: String)] {
            let ca = (NID_key_usage, "critical,keyCertSign,cRLSign")
            return switch self {
            case .root: [(NID_basic_constraints, "critical,CA:TRUE"), ca]
            case .intermediate: [(NID_basic_constraints, "critical,CA:TRUE,pathlen:0"), ca]
            case .leaf:
                [(NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature")]
            case .server: Self.leaf.extensions + [(NID_ext_key_usage, "serverAuth")]
            }
        }
    }

    var role: Role
    var subject: String
    /// UNIX milliseconds; certificates know whole seconds only.
    var validity: ClosedRange<Int64>
    /// A dotted identifier, written as a non-critical extension that holds DER NULL.
    var marker: String?
    /// Names and addresses that the certificate is good for, written as subject alternative names.
    var hosts: [String] = []

    /// Who signs: a certificate and its private key.
    struct Issuer: Sendable {
        let certificate: Certificate
        let key: KeyHandle
    }

    /// Makes the certificate for a key. Without an issuer it signs itself.
    func issue(for key: KeyHandle, by issuer: Issuer?) throws(OpenSSLError) -> Certificate {
        let certificate = try Certificate(X509_new(), by: "X509_new")
        try certificate.use { raw throws(OpenSSLError) in
            try OpenSSL.check(X509_set_version(raw, 2), "X509_set_version")  // counted from 0: version 3
            try setSerial(of: raw)
            try setNames(of: raw, issuer: issuer)
            try setValidity(of: raw)
            try key.use { key throws(OpenSSLError) in
                try OpenSSL.check(X509_set_pubkey(raw, key), "X509_set_pubkey")
            }
            try addExtensions(to: raw, issuer: issuer)
            try Self.sign(raw, by: issuer?.key ?? key)
        }
        return certificate
    }

    private func setSerial(of raw: OpaquePointer) throws(OpenSSLError) {
        // 63 bits: positive, and not zero but for a chance nobody meets (RFC 5280 section 4.1.2.2).
        let bytes = randomBytes(8)
        let serial = bytes.reduce(0 as UInt64) { $0 << 8 | UInt64($1) } >> 1
        let number = X509_get_serialNumber(raw)
        try OpenSSL.check(ASN1_INTEGER_set_uint64(number, serial), "ASN1_INTEGER_set_uint64")
    }

    private func setNames(of raw: OpaquePointer, issuer: Issuer?) throws(OpenSSLError) {
        let name = try OpenSSL.found(X509_get_subject_name(raw), "X509_get_subject_name")
        // MBSTRING_FLAG alone is MBSTRING_UTF8, whose definition Swift can't read.
        for (field, value) in [("CN", subject), ("O", "Kulanz (made up, not Apple)")] {
            let text = Array(value.utf8)
            try OpenSSL.check(
                X509_NAME_add_entry_by_txt(name, field, MBSTRING_FLAG, text, Int32(text.count), -1, 0),
                "X509_NAME_add_entry_by_txt")
        }
        guard let issuer else {
            return try OpenSSL.check(X509_set_issuer_name(raw, name), "X509_set_issuer_name")
        }
        try issuer.certificate.use { issuer throws(OpenSSLError) in
            try OpenSSL.check(X509_set_issuer_name(raw, X509_get_subject_name(issuer)), "X509_set_issuer_name")
        }
    }

    private func setValidity(of raw: OpaquePointer) throws(OpenSSLError) {
        let (from, until) = (Int(validity.lowerBound / 1000), Int(validity.upperBound / 1000))
        _ = try OpenSSL.found(ASN1_TIME_set(X509_getm_notBefore(raw), from), "ASN1_TIME_set")
        _ = try OpenSSL.found(ASN1_TIME_set(X509_getm_notAfter(raw), until), "ASN1_TIME_set")
    }

    private func addExtensions(to raw: OpaquePointer, issuer: Issuer?) throws(OpenSSLError) {
        let identifiers: [(Int32, String)] = [
            (NID_subject_key_identifier, "hash"), (NID_authority_key_identifier, "keyid:always"),
        ]
        for (identifier, value) in role.extensions + identifiers {
            // A root's authority key is its own, which RFC 5280 section 4.2.1.1 lets it leave out.
            if identifier == NID_authority_key_identifier, issuer == nil { continue }
            try add(identifier, value, to: raw, issuer: issuer?.certificate)
        }
        if !hosts.isEmpty {
            try add(NID_subject_alt_name, alternativeNames, to: raw, issuer: issuer?.certificate)
        }
        if let marker { try add(marker: marker, to: raw) }
    }

    private var alternativeNames: String {
        hosts.map { host in
            let isAddress = host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." }
            return (isAddress ? "IP:" : "DNS:") + host
        }.joined(separator: ",")
    }

    private func add(
        _ identifier: Int32, _ value: String, to raw: OpaquePointer, issuer: Certificate?
    ) throws(OpenSSLError) {
        var context = X509V3_CTX()
        let made: OpaquePointer?
        if let issuer {
            made = issuer.use { issuer in
                X509V3_set_ctx(&context, issuer, raw, nil, nil, 0)
                return X509V3_EXT_conf_nid(nil, &context, identifier, value)
            }
        } else {
            X509V3_set_ctx(&context, raw, raw, nil, nil, 0)
            made = X509V3_EXT_conf_nid(nil, &context, identifier, value)
        }
        try Owned(made, by: "X509V3_EXT_conf_nid") { X509_EXTENSION_free($0) }.use { made throws(OpenSSLError) in
            try OpenSSL.check(X509_add_ext(raw, made, -1), "X509_add_ext")
        }
    }

    private func add(marker: String, to raw: OpaquePointer) throws(OpenSSLError) {
        let null: [UInt8] = [0x05, 0x00]
        let object = try Owned(OBJ_txt2obj(marker, 1), by: "OBJ_txt2obj") { ASN1_OBJECT_free($0) }
        let content = try OpenSSL.found(ASN1_OCTET_STRING_new(), "ASN1_OCTET_STRING_new")
        defer { ASN1_OCTET_STRING_free(content) }
        try OpenSSL.check(ASN1_OCTET_STRING_set(content, null, Int32(null.count)), "ASN1_OCTET_STRING_set")
        let made = object.use { X509_EXTENSION_create_by_OBJ(nil, $0, 0, content) }
        try Owned(made, by: "X509_EXTENSION_create_by_OBJ") { X509_EXTENSION_free($0) }.use {
            made throws(OpenSSLError) in
            try OpenSSL.check(X509_add_ext(raw, made, -1), "X509_add_ext")
        }
    }

    private static func sign(_ raw: OpaquePointer, by key: KeyHandle) throws(OpenSSLError) {
        // The digest of the curve's own strength, as Apple's chain has it.
        let digest = key.curveName == Curve.p384.rawValue ? EVP_sha384() : EVP_sha256()
        let size = key.use { X509_sign(raw, $0, digest) }
        guard size > 0 else { throw OpenSSLError(from: "X509_sign") }
    }
}
