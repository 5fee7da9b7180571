/// A Lua script. Its identity is the SHA-1 of its source, which is also Redis' name for it.
package struct RedisScript: Sendable, Hashable {
    /// For logs and errors.
    package let name: String
    package let source: String
    /// 40 lower-case hexadecimal digits.
    package let sha1: String

    package init(name: String, source: String) {
        self.name = name
        self.source = source
        sha1 = SHA1.hex(of: Array(source.utf8))
    }
}
