import COpenSSL
import Foundation
import TestSupport

/// The server's side of TLS on a blocking socket, for a scripted server.
// @unchecked: the context isn't changed once it is made.
final class ServerTLS: @unchecked Sendable {
    fileprivate let context: OpaquePointer

    /// - Parameter version: the highest to speak; TLS 1.2 renegotiates, 1.3 updates keys.
    init(_ certificate: TestAuthority.Certificate, version: Int32 = TLS1_3_VERSION, oldest: Int32 = 0) throws {
        guard let context = SSL_CTX_new(TLS_server_method()) else { throw POSIXError(.ENOMEM) }
        self.context = context
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(version), nil)
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(oldest), nil)
        guard SSL_CTX_use_certificate_chain_file(context, certificate.file) == 1,
            SSL_CTX_use_PrivateKey_file(context, certificate.keyFile, SSL_FILETYPE_PEM) == 1
        else { throw POSIXError(.EINVAL) }
        // TLS 1.1 and older need it; they are spoken to see them refused.
        SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0")
    }

    deinit { SSL_CTX_free(context) }
}

/// One connection of a scripted server, sealed or not.
final class ServerWire {
    private let descriptor: Int32
    private var ssl: OpaquePointer?

    /// Nil if the client didn't shake hands.
    init?(_ descriptor: Int32, _ tls: ServerTLS?) {
        self.descriptor = descriptor
        guard let tls else { return }
        // OpenSSL writes without MSG_NOSIGNAL. The thread is this connection's own, and ends with it.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        ssl = SSL_new(tls.context)
        SSL_set_fd(ssl, descriptor)
        guard SSL_accept(ssl) == 1 else {
            ERR_clear_error()
            return nil
        }
    }

    deinit { SSL_free(ssl) }

    func read(into bytes: inout [UInt8]) -> Int {
        guard let ssl else { return recv(descriptor, &bytes, bytes.count, 0) }
        return Int(SSL_read(ssl, &bytes, Int32(bytes.count)))
    }

    func write(_ bytes: [UInt8]) {
        guard let ssl else {
            _ = send(descriptor, bytes, bytes.count, Self.quietly)
            return
        }
        _ = SSL_write(ssl, bytes, Int32(bytes.count))
    }

    /// New keys, and the client is asked for new ones of its own (RFC 8446 section 4.6.3).
    func updateKeys() {
        SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED)
        SSL_do_handshake(ssl)
    }

    /// Asks for another handshake, as servers of TLS 1.2 may (RFC 5246 section 7.4.1.1).
    func renegotiate() {
        SSL_renegotiate(ssl)
        SSL_do_handshake(ssl)
        ERR_clear_error()
    }

    /// Says that nothing follows, and leaves the socket open.
    func sayGoodbye() { SSL_shutdown(ssl) }

    #if os(Linux)
        private static let quietly = Int32(MSG_NOSIGNAL)
    #else
        private static let quietly: Int32 = 0
    #endif
}
