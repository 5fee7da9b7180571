import COpenSSL

/// What one connection's TLS stands on: the files, read and checked.
///
/// Reading takes milliseconds, so make it off the loop.
// @unchecked: an SSL_CTX counts its references atomically, and nobody changes it once it is made.
final class TLSContext: @unchecked Sendable {
    let raw: OpaquePointer
    let settings: RedisTLS

    init(_ settings: RedisTLS) throws(RedisTLSError) {
        ERR_clear_error()
        guard let raw = SSL_CTX_new(TLS_client_method()) else { throw .failed(TLSReason.take().words) }
        self.raw = raw
        self.settings = settings
        // From here on `deinit` frees it, whatever is thrown.
        guard kulanz_ssl_ctx_require_tls12(raw) == 1 else { throw .failed(TLSReason.take().words) }
        // With it a write would have to wait for a read; TLS 1.3 has none.
        kulanz_ssl_ctx_forbid_renegotiation(raw)
        // Without one OpenSSL asks the terminal for a pass phrase.
        SSL_CTX_set_default_passwd_cb(raw) { _, _, _, _ in 0 }
        try trust()
        try identify()
    }

    deinit { SSL_CTX_free(raw) }

    private func trust() throws(RedisTLSError) {
        guard let file = settings.caFile else {
            guard SSL_CTX_set_default_verify_paths(raw) == 1 else { throw .failed(TLSReason.take().words) }
            return
        }
        guard SSL_CTX_load_verify_locations(raw, file, nil) == 1 else {
            ERR_clear_error()
            throw .unreadableAuthorities(file: file)
        }
    }

    private func identify() throws(RedisTLSError) {
        guard let certificate = settings.certificateFile, let key = settings.keyFile else { return }
        guard SSL_CTX_use_certificate_chain_file(raw, certificate) == 1 else {
            ERR_clear_error()
            throw .unreadableCertificate(file: certificate)
        }
        guard SSL_CTX_use_PrivateKey_file(raw, key, SSL_FILETYPE_PEM) == 1 else {
            let isForeign = TLSReason.take().code == X509_R_KEY_VALUES_MISMATCH
            throw isForeign ? .foreignKey(file: key) : .unreadableKey(file: key)
        }
        guard SSL_CTX_check_private_key(raw) == 1 else {
            ERR_clear_error()
            throw .foreignKey(file: key)
        }
    }
}

/// The oldest entry of OpenSSL's error queue: what went wrong first; later ones only tell where it was noticed.
struct TLSReason {
    let code: Int32
    let words: String

    /// Empties the queue too: it belongs to the thread, and the next call would take what is left for its own.
    static func take() -> TLSReason {
        let error = ERR_peek_error()
        ERR_clear_error()
        let words = ERR_reason_error_string(error).map { String(cString: $0) }
        return TLSReason(code: ERR_GET_REASON(error), words: words ?? "no reason given")
    }
}
