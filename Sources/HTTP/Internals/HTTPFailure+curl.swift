import CCurl

extension HTTPFailure.Kind {
    /// What a `CURLcode` means here. `isDeparted`: the request was let go before it came to that.
    init(_ code: CURLcode, isDeparted: Bool) {
        self =
            switch code {
            case CURLE_URL_MALFORMAT, CURLE_NOT_BUILT_IN, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_LOGIN_DENIED: .invalid
            // libcurl says "unsupported protocol" both of a scheme that we don't allow and of an answer in HTTP/0.9.
            case CURLE_UNSUPPORTED_PROTOCOL: isDeparted ? .garbled : .invalid
            case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .resolve
            case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED: .connect
            // Our own timer keeps the deadline, so libcurl's can only be the one of the connection.
            case CURLE_OPERATION_TIMEDOUT: isDeparted ? .timedOut : .connect
            case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
                CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
                CURLE_SSL_CLIENTCERT, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_SHUTDOWN_FAILED:
                .tls
            case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2,
                CURLE_HTTP2_STREAM:
                .reset
            case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING: .garbled
            case CURLE_WRITE_ERROR: .answerTooLarge
            default: .other
            }
    }
}
