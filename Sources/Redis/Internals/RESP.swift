import CHiredis

/// The wire format, RESP2: commands as arrays of bulk strings, replies by hiredis' reader.
enum RESP {
    static func append(_ words: [RedisWord], to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "*"))
        bytes.append(contentsOf: String(words.count).utf8)
        bytes.append(contentsOf: [13, 10])
        for word in words {
            bytes.append(UInt8(ascii: "$"))
            bytes.append(contentsOf: String(word.bytes.count).utf8)
            bytes.append(contentsOf: [13, 10])
            bytes.append(contentsOf: word.bytes)
            bytes.append(contentsOf: [13, 10])
        }
    }

    static func encoded(_ words: [RedisWord]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(words.reduce(16) { $0 + $1.bytes.count + 16 })
        append(words, to: &bytes)
        return bytes
    }
}

/// Cuts a stream of bytes into replies. hiredis 0.14 takes arrays nested up to seven deep.
final class ReplyReader {
    private let reader: UnsafeMutablePointer<redisReader>

    init() {
        guard let reader = redisReaderCreate() else { preconditionFailure("hiredis could not allocate a reader") }
        self.reader = reader
    }

    deinit { redisReaderFree(reader) }

    func feed(_ bytes: UnsafeRawBufferPointer) {
        redisReaderFeed(reader, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
    }

    /// The next whole reply; nil until more bytes come.
    func next() throws(RedisError) -> RedisValue? {
        var reply: UnsafeMutableRawPointer?
        guard redisReaderGetReply(reader, &reply) == REDIS_OK else {
            let reason = withUnsafeBytes(of: reader.pointee.errstr) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            throw .protocolError(reason)
        }
        guard let reply else { return nil }
        defer { freeReplyObject(reply) }
        return Self.value(of: reply.assumingMemoryBound(to: redisReply.self).pointee)
    }

    private static func value(of reply: redisReply) -> RedisValue {
        switch reply.type {
        case REDIS_REPLY_INTEGER: .integer(reply.integer)
        case REDIS_REPLY_STATUS: .simple(String(decoding: bytes(of: reply), as: UTF8.self))
        case REDIS_REPLY_ERROR: .error(RedisServerError(String(decoding: bytes(of: reply), as: UTF8.self)))
        case REDIS_REPLY_STRING: .bulk(bytes(of: reply))
        case REDIS_REPLY_ARRAY:
            .array(
                (0..<reply.elements).map { index in
                    guard let element = reply.element[index] else { return .null }
                    return value(of: element.pointee)
                })
        default: .null
        }
    }

    private static func bytes(of reply: redisReply) -> [UInt8] {
        guard let text = reply.str else { return [] }
        return Array(UnsafeRawBufferPointer(start: text, count: reply.len))
    }
}
