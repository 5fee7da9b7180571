import COpenSSL

/// One client's side of TLS without a socket: what came from the wire goes in by `feed`, what belongs on the wire comes
/// out by `takeSealed`. Confined to the loop.
final class TLSSession {
    enum Step {
        case bytes(Int)
        /// More must come from the wire first.
        case starved
        /// The peer has said that nothing follows.
        case ended
        case failed(RedisTLSError)
    }

    private let context: TLSContext
    private let host: String
    private let ssl: OpaquePointer
    /// Both belong to `ssl`.
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer
    /// What the verification met, while the certificate was at hand.
    private var verdict: RedisTLSError?
    private var hasHeard = false
    /// Whether the server wants to know who we are, and we have nothing to show.
    private(set) var isAskedInVain = false
    /// Whether what was fed has been read to its end.
    private(set) var isDry = true

    /// - Parameter host: the name or address that the certificate must be for.
    init(_ context: TLSContext, host: String) throws(RedisTLSError) {
        guard let ssl = SSL_new(context.raw), let incoming = BIO_new(BIO_s_mem()), let outgoing = BIO_new(BIO_s_mem())
        else { throw .failed(TLSReason.take().words) }
        (self.context, self.host, self.ssl, self.incoming, self.outgoing) = (context, host, ssl, incoming, outgoing)
        SSL_set_bio(ssl, incoming, outgoing)
        SSL_set_connect_state(ssl)
        // Unretained: we own `ssl`, so no callback of it comes after us.
        SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
        SSL_set_verify(ssl, SSL_VERIFY_PEER) { isFine, store in
            if isFine != 1 { TLSSession.verifying(store)?.note(store) }
            return isFine
        }
        SSL_set_cert_cb(
            ssl,
            { _, session in
                session.map { Unmanaged<TLSSession>.fromOpaque($0).takeUnretainedValue().wasAsked() }
                return 1
            }, Unmanaged.passUnretained(self).toOpaque())
        let parameters = SSL_get0_param(ssl)
        // RFC 9525 section 2: names stand in subjectAltName; the subject is for people.
        X509_VERIFY_PARAM_set_hostflags(
            parameters, UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        // An address is looked for among the addresses, and has no place in a server name (RFC 6066 section 3).
        if X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1 { return }
        ERR_clear_error()
        guard X509_VERIFY_PARAM_set1_host(parameters, host, 0) == 1, kulanz_ssl_set_server_name(ssl, host) == 1 else {
            throw .failed(TLSReason.take().words)
        }
    }

    deinit { SSL_free(ssl) }

    // MARK: The wire's side

    func feed(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.first, let base = bytes.baseAddress else { return }
        if !hasHeard {
            hasHeard = true
            // The first word of a server is part of a handshake or an alert (RFC 8446 section 5.1).
            if first != 0x16, first != 0x15 { verdict = .notTLS }
        }
        isDry = false
        _ = BIO_write(incoming, base, Int32(bytes.count))
    }

    /// What belongs on the wire by now; each byte is given out once.
    func takeSealed() -> [UInt8] {
        let count = BIO_ctrl_pending(outgoing)
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, size in
            size = max(0, Int(BIO_read(outgoing, buffer.baseAddress, Int32(count))))
        }
    }

    // MARK: Our side

    /// Goes on with the handshake; `.bytes(0)` once it is done.
    func shakeHands() -> Step {
        if let verdict { return .failed(verdict) }
        ERR_clear_error()
        return step(SSL_do_handshake(ssl), isDone: { $0 == 1 ? 0 : nil })
    }

    /// Unseals into `buffer`. Until it says `.starved` there may be more, although the socket has nothing.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Step {
        ERR_clear_error()
        let limit = Int32(min(buffer.count, 1 << 30))
        while true {
            let before = BIO_ctrl_pending(incoming)
            let step = step(SSL_read(ssl, buffer.baseAddress, limit), isDone: { $0 > 0 ? Int($0) : nil })
            // A record that was for TLS itself (a ticket, new keys) may end the call with more behind it.
            guard case .starved = step, !isDry, BIO_ctrl_pending(incoming) < before else { return step }
        }
    }

    /// The most that goes into one record (RFC 8446 section 5.1).
    static let record = 16_384

    /// Seals all of `bytes`, at most a record's worth.
    func write(_ bytes: UnsafeRawBufferPointer) -> Step {
        ERR_clear_error()
        return step(SSL_write(ssl, bytes.baseAddress, Int32(bytes.count)), isDone: { $0 > 0 ? Int($0) : nil })
    }

    private func step(_ status: Int32, isDone: (Int32) -> Int?) -> Step {
        if let count = isDone(status) { return .bytes(count) }
        switch SSL_get_error(ssl, status) {
        case SSL_ERROR_WANT_READ:
            isDry = BIO_ctrl_pending(incoming) == 0
            return .starved
        case SSL_ERROR_ZERO_RETURN: return .ended
        default: return .failed(verdict ?? reason(TLSReason.take()))
        }
    }

    // MARK: What went wrong

    private static func verifying(_ store: OpaquePointer?) -> TLSSession? {
        guard let ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
            let session = SSL_get_ex_data(OpaquePointer(ssl), 0)
        else { return nil }
        return Unmanaged<TLSSession>.fromOpaque(session).takeUnretainedValue()
    }

    private func note(_ store: OpaquePointer?) {
        let certificate = X509_STORE_CTX_get_current_cert(store)
        let code = X509_STORE_CTX_get_error(store)
        switch code {
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
            X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_CERT_SIGNATURE_FAILURE:
            let issuer = Printed.text { X509_NAME_print_ex($0, X509_get_issuer_name(certificate), 0, Printed.oneLine) }
            verdict = .unknownAuthority(issuer: issuer, caFile: context.settings.caFile)
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            verdict = .wrongHost(host, names: Printed.names(of: certificate))
        case X509_V_ERR_CERT_HAS_EXPIRED:
            verdict = .expired(Printed.text { ASN1_TIME_print($0, X509_get0_notAfter(certificate)) })
        case X509_V_ERR_CERT_NOT_YET_VALID:
            verdict = .notYetValid(Printed.text { ASN1_TIME_print($0, X509_get0_notBefore(certificate)) })
        default: verdict = .untrusted(String(cString: X509_verify_cert_error_string(Int(code))))
        }
    }

    private func wasAsked() { isAskedInVain = context.settings.certificateFile == nil }

    private func reason(_ reason: TLSReason) -> RedisTLSError {
        switch reason.code {
        case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED: .certificateWanted
        case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE, SSL_R_SSLV3_ALERT_BAD_CERTIFICATE,
            SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE, SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED,
            SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED, SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN, SSL_R_TLSV1_ALERT_UNKNOWN_CA,
            SSL_R_TLSV1_ALERT_ACCESS_DENIED, SSL_R_TLSV1_ALERT_DECRYPT_ERROR:
            isAskedInVain
                ? .certificateWanted
                : reason.code == SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE
                    ? .nothingInCommon(reason.words) : .certificateRefused(reason.words)
        case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION, SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_VERSION_TOO_LOW,
            SSL_R_NO_PROTOCOLS_AVAILABLE, SSL_R_TLSV1_ALERT_INSUFFICIENT_SECURITY, SSL_R_DH_KEY_TOO_SMALL:
            .nothingInCommon(reason.words)
        case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST: .notTLS
        default: .failed(reason.words)
        }
    }
}

/// Parts of a certificate in words for people. They come from a stranger, so nothing but plain text passes.
private enum Printed {
    static let oneLine = UInt(XN_FLAG_SEP_COMMA_PLUS) | UInt(ASN1_STRFLGS_ESC_CTRL) | UInt(ASN1_STRFLGS_ESC_MSB)

    static func names(of certificate: OpaquePointer?) -> String {
        let place = X509_get_ext_by_NID(certificate, NID_subject_alt_name, -1)
        guard place >= 0, let names = X509_get_ext(certificate, place) else { return "no name at all" }
        return text { X509V3_EXT_print($0, names, 0, 0) }
    }

    static func text(_ print: (OpaquePointer) -> Int32) -> String {
        guard let bio = BIO_new(BIO_s_mem()) else { return "?" }
        defer { BIO_free(bio) }
        guard print(bio) >= 0 else { return "?" }
        var bytes = [UInt8](repeating: 0, count: 300)
        let count = max(0, Int(BIO_read(bio, &bytes, Int32(bytes.count))))
        let plain = bytes[..<count].filter { (0x20...0x7E).contains($0) }
        return plain.isEmpty ? "?" : String(decoding: plain, as: UTF8.self)
    }
}
