import Redis
package import Refunds

extension JobQueue {
    /// Entries of a lane that nobody has read yet, oldest first.
    ///
    /// Whoever takes them has to `adopt` them; what its taker doesn't live to adopt, `lease` hands out again after 15 s.
    package func takeUnread(in lane: Priority, limit: Int) async throws(QueueError) -> [RawEntry] {
        let key = RedisWord(keys.lane(lane))
        guard try await read(["XLEN", key]).integer ?? 0 > 0 else { return [] }
        let answer: RedisValue
        do {
            answer = try await read([
                "XREADGROUP", "GROUP", Self.fleet, Self.fleet, "COUNT", RedisWord(limit), "STREAMS", key, ">",
            ])
        } catch {
            guard error.redisError?.kind == .noGroup else { throw error }
            _ = try? await read(["XGROUP", "CREATE", key, Self.fleet, "0"])
            return try await takeUnread(in: lane, limit: limit)
        }
        let entries = answer.array?.first?.array?.last?.array ?? []
        return entries.compactMap { entry in
            guard let parts = entry.array, parts.count == 2, let id = parts[0].string, let fields = parts[1].array
            else { return nil }
            return RawEntry(priority: lane, entryId: id, fields: fields.compactMap(\.bytes))
        }
    }

    /// The lanes' consumer group, and its one consumer, as parts/ground.lua names them.
    private static var fleet: RedisWord { "fleet" }
}
