package import Redis
package import Refunds

/// A stream that a producer may have written by mistake: under our prefix, and no worker reads it.
package struct StrayStream: Sendable, Hashable {
    package let name: String
    package let entries: Int
    /// When its oldest entry was added, UNIX milliseconds; nil when it is empty.
    package let oldest: Int64?

    package init(name: String, entries: Int, oldest: Int64?) {
        self.name = name
        self.entries = entries
        self.oldest = oldest
    }
}

extension StrayStream {
    /// Which app a stream's name says: the one in braces, or the word where braces should be.
    package static func app(in name: String, prefix: String) -> String? {
        guard name.hasPrefix(prefix + ":") else { return nil }
        let rest = name.dropFirst(prefix.count + 1)
        let word = rest.first == "{" ? rest.dropFirst().prefix { $0 != "}" } : rest.prefix { $0 != ":" }
        return String(word)
    }

    /// Looks at a stream now; nil when there is none of this name any more.
    package static func look(at name: String, through redis: RedisClient) async throws(RedisError) -> StrayStream? {
        let entries = try await redis.send(["XLEN", RedisWord(name)]).integer ?? 0
        let first = try await redis.send(["XRANGE", RedisWord(name), "-", "+", "COUNT", "1"]).array?.first
        guard let id = first?.array?.first?.string else { return nil }
        return StrayStream(
            name: name, entries: Int(entries), oldest: id.split(separator: "-").first.flatMap { Int64($0) })
    }
}

extension JobQueue {
    /// Looks what others did to the streams that producers write, and raises an alarm for what is new.
    ///
    /// - Parameter strays: streams that nobody reads and that seem to be meant for this app.
    package func audit(strays: [StrayStream]) async throws(QueueError) -> Int {
        let words = strays.flatMap { [RedisWord($0.name), RedisWord($0.entries)] }
        return Int(try await run(.audit, words).integer ?? 0)
    }

    /// The streams that the last audit named and that still hold something.
    package func strays() async throws(QueueError) -> [StrayStream] {
        var strays: [StrayStream] = []
        for name in (try await read(["HKEYS", RedisWord(keys.strays)]).strings ?? []).sorted() {
            do throws(RedisError) {
                if let stray = try await StrayStream.look(at: name, through: redis) { strays.append(stray) }
            } catch {
                throw QueueError("read", app: app, error)
            }
        }
        return strays
    }

    /// How many entries others deleted from each lane before a worker read them, as far as the last audit saw.
    package func deletedEntries() async throws(QueueError) -> [Priority: Int] {
        let fields = Priority.allCases.map { RedisWord("\($0.rawValue):deleted") }
        let counts = try await read(["HMGET", RedisWord(keys.intake)] + fields).array ?? []
        var deleted: [Priority: Int] = [:]
        for (lane, count) in zip(Priority.allCases, counts) { deleted[lane] = count.integer.map(Int.init) }
        return deleted
    }
}
