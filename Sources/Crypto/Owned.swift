import COpenSSL

/// One OpenSSL object that is freed at the end of its scope.
struct Owned: ~Copyable {
    private let raw: OpaquePointer
    private let free: (OpaquePointer) -> Void

    /// Takes over what a C function made; a missing pointer is that function's failure.
    init(
        _ made: OpaquePointer?, by function: StaticString, free: @escaping (OpaquePointer) -> Void
    ) throws(OpenSSLError) {
        raw = try OpenSSL.found(made, function)
        self.free = free
    }

    /// Lends the pointer; it must not leave `body`.
    borrowing func use<Result, Failure>(
        _ body: (OpaquePointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(raw)
    }

    deinit { free(raw) }
}
