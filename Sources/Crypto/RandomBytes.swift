import COpenSSL

/// Bytes that nobody can foresee. Ends the process when the machine has no entropy.
package func randomBytes(_ count: Int) -> [UInt8] {
    precondition(count >= 0 && count <= Int(Int32.max))
    var bytes = [UInt8](repeating: 0, count: count)
    OpenSSL.must { () throws(OpenSSLError) in try OpenSSL.check(RAND_bytes(&bytes, Int32(count)), "RAND_bytes") }
    return bytes
}
