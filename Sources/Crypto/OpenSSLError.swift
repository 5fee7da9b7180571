import COpenSSL

/// A call into OpenSSL that failed: which one, and OpenSSL's own words for why.
///
/// OpenSSL's additional data isn't kept, so nothing of what was signed, read or parsed can show up here.
package struct OpenSSLError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The C function's name.
    package let function: String
    /// The newest entry of OpenSSL's error queue, or that there was none.
    package let reason: String

    package var description: String { "OpenSSL's \(function) failed: \(reason)" }

    /// Takes the newest error off this thread's queue and empties the queue.
    ///
    /// Emptying matters beyond us: a TLS connection served by the same thread reads what is left there as its own.
    init(from function: StaticString) {
        let code = ERR_peek_last_error()
        ERR_clear_error()
        self.function = "\(function)"
        reason = ERR_reason_error_string(code).map { String(cString: $0) } ?? "no reason given"
    }
}

/// The funnel that every result of OpenSSL passes.
enum OpenSSL {
    /// A status of 1 is success, as almost everywhere in OpenSSL.
    static func check(_ status: Int32, _ function: StaticString) throws(OpenSSLError) {
        guard status == 1 else { throw OpenSSLError(from: function) }
    }

    /// A pointer that OpenSSL keeps and we only look at.
    static func found<Pointer>(_ pointer: Pointer?, _ function: StaticString) throws(OpenSSLError) -> Pointer {
        guard let pointer else { throw OpenSSLError(from: function) }
        return pointer
    }

    /// For what fails only when the machine is out of memory or entropy: going on would be worse than ending.
    static func must<Value>(_ body: () throws(OpenSSLError) -> Value) -> Value {
        do { return try body() } catch { fatalError(error.description) }
    }

    /// Lends DER to a `d2i_…` function and gives what that made.
    static func parsed(
        _ der: [UInt8], by read: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> OpaquePointer?
    ) -> OpaquePointer? {
        der.withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            return read(&start, buffer.count)
        }
    }

    /// Copies what an `i2d_…` function writes.
    static func der(
        _ function: StaticString,
        _ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>) -> Int32
    ) throws(OpenSSLError) -> [UInt8] {
        var start: UnsafeMutablePointer<UInt8>?
        let count = write(&start)
        guard count > 0, let start else { throw OpenSSLError(from: function) }
        defer { CRYPTO_clear_free(start, Int(count), #file, #line) }
        return Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }
}
