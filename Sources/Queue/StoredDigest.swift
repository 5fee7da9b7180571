import Crypto
import Redis

// A content digest is stored as its 32 bytes: records stay for more than a year, and in hex it would take twice that.

extension RedisWord {
    init(digest: String) {
        guard let bytes = [UInt8](hex: digest) else { preconditionFailure("a content digest is in hex") }
        self.init(bytes)
    }
}

extension RedisValue {
    var digest: String? { bytes?.hex }
}
