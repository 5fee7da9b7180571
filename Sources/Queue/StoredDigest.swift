import Crypto
import Redis

// A content digest is stored as its 32 bytes: records stay for more than a year, and in hex it would take twice that.

extension RedisWord {
    init(digest: String) { self.init([UInt8](hex: digest) ?? Array(digest.utf8)) }
}

extension RedisValue {
    var digest: String? { bytes?.hex }
}
