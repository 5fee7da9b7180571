import CHiredis

/// The wire format, RESP2: commands as arrays of bulk strings, replies by hiredis' reader.
enum RESP {
    static func append(_ words: [RedisWord], to bytes: inout [UInt8]) {
        appendLine(UInt8(ascii: "*"), words.count, to: &bytes)
        for word in words {
            appendLine(UInt8(ascii: "$"), word.bytes.count, to: &bytes)
            bytes.append(contentsOf: word.bytes)
            bytes.append(13)
            bytes.append(10)
        }
    }

    /// A length and what it is of. By digits: a `String` for each word would cost more than the word.
    private static func appendLine(_ kind: UInt8, _ count: Int, to bytes: inout [UInt8]) {
        bytes.append(kind)
        var unit = 1
        while count / unit > 9 { unit *= 10 }
        while unit > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(count / unit % 10))
            unit /= 10
        }
        bytes.append(13)
        bytes.append(10)
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
    private let functions: UnsafeMutablePointer<redisReplyObjectFunctions>
    private let builder = ReplyBuilder()

    init() {
        functions = .allocate(capacity: 1)
        functions.initialize(to: ReplyBuilder.functions)
        guard let reader = redisReaderCreateWithFunctions(functions) else {
            preconditionFailure("hiredis could not allocate a reader")
        }
        self.reader = reader
        // Unretained: this object holds both.
        reader.pointee.privdata = Unmanaged.passUnretained(builder).toOpaque()
    }

    deinit {
        redisReaderFree(reader)
        functions.deallocate()
    }

    func feed(_ bytes: UnsafeRawBufferPointer) {
        redisReaderFeed(reader, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
    }

    /// The next whole reply; nil until more bytes come.
    func next() throws(RedisError) -> RedisValue? {
        var isWhole: UnsafeMutableRawPointer?
        guard redisReaderGetReply(reader, &isWhole) == REDIS_OK else {
            let reason = withUnsafeBytes(of: reader.pointee.errstr) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            throw .protocolError(reason)
        }
        return isWhole == nil ? nil : builder.take()
    }
}

/// Makes a value of what hiredis reads, in the order in which it reads: an array, then its elements.
///
/// hiredis would make a tree of its own in C, of two allocations for each element, only to be copied.
private final class ReplyBuilder {
    /// An array whose elements are being read.
    private struct Frame {
        var elements: [RedisValue] = []
        let count: Int
    }

    private var frames: [Frame] = []
    private var root: RedisValue?

    func take() -> RedisValue? {
        defer { root = nil }
        return root
    }

    private func open(_ count: Int) {
        guard count > 0 else { return add(.array([])) }
        var frame = Frame(count: count)
        // A length is only an announcement.
        frame.elements.reserveCapacity(min(count, 1024))
        frames.append(frame)
    }

    private func add(_ value: RedisValue) {
        var value = value
        while let last = frames.indices.last {
            frames[last].elements.append(value)
            guard frames[last].elements.count == frames[last].count else { return }
            value = .array(frames.removeLast().elements)
        }
        root = value
    }

    private func add(_ bytes: UnsafeBufferPointer<UInt8>, of type: Int32) {
        switch type {
        case REDIS_REPLY_STATUS: add(.simple(String(decoding: bytes, as: UTF8.self)))
        case REDIS_REPLY_ERROR: add(.error(RedisServerError(String(decoding: bytes, as: UTF8.self))))
        default: add(.bulk(Array(bytes)))
        }
    }

    private func forget() { (frames, root) = ([], nil) }

    // MARK: What hiredis calls

    static var functions: redisReplyObjectFunctions {
        var functions = redisReplyObjectFunctions()
        functions.createString = { task, text, count in
            ReplyBuilder.tell(task) { builder, type in
                let bytes = UnsafeRawBufferPointer(start: text, count: count)
                bytes.withMemoryRebound(to: UInt8.self) { builder.add($0, of: type) }
            }
        }
        functions.createArray = { task, count in ReplyBuilder.tell(task) { builder, _ in builder.open(Int(count)) } }
        functions.createInteger = { task, number in
            ReplyBuilder.tell(task) { builder, _ in builder.add(.integer(number)) }
        }
        functions.createNil = { task in ReplyBuilder.tell(task) { builder, _ in builder.add(.null) } }
        functions.freeObject = { object in
            guard let object else { return }
            Unmanaged<ReplyBuilder>.fromOpaque(object).takeUnretainedValue().forget()
        }
        return functions
    }

    /// hiredis wants an object for each thing that it reads, and looks into none: it gets the builder for all of them.
    private static func tell(
        _ task: UnsafePointer<redisReadTask>?, _ what: (ReplyBuilder, _ type: Int32) -> Void
    ) -> UnsafeMutableRawPointer? {
        guard let task, let object = task.pointee.privdata else { return nil }
        what(Unmanaged<ReplyBuilder>.fromOpaque(object).takeUnretainedValue(), task.pointee.type)
        return object
    }
}
