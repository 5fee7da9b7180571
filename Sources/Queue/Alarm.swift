import Redis

/// Something that people have to be told, once.
package struct Alarm: Sendable, Hashable {
    /// Of its entry in the alerts stream: a receiver that gets it twice (its teller died in between) knows by this.
    package let entryId: String
    /// paused, resumed, appleDown, appleBack, rateLimited, …
    package let kind: String
    package let fields: [String: String]

    package subscript(name: String) -> String { fields[name] ?? "" }
}

extension JobQueue {
    private static var heralds: RedisWord { "heralds" }

    /// Alarms for this worker to tell: new ones, and what another worker took and didn't tell within `patience`.
    package func takeAlarms(
        worker: String, patience: Duration = .seconds(60), limit: Int = 10
    ) async throws(QueueError) -> [Alarm] {
        do {
            let old = try await read([
                "XAUTOCLAIM", RedisWord(keys.alerts), Self.heralds, RedisWord(worker), RedisWord(patience.milliseconds),
                "0-0", "COUNT", RedisWord(limit),
            ])
            let claimed = old.array.flatMap { $0.count > 1 ? $0[1].array : nil } ?? []
            guard claimed.count < limit else { return claimed.compactMap(Alarm.init) }
            let new = try await read([
                "XREADGROUP", "GROUP", Self.heralds, RedisWord(worker), "COUNT", RedisWord(limit - claimed.count),
                "STREAMS",
                RedisWord(keys.alerts),
                ">",
            ])
            let fresh = new.array?.first?.array?.last?.array ?? []
            return (claimed + fresh).compactMap(Alarm.init)
        } catch {
            guard error.redisError?.kind == .noGroup else { throw error }
            _ = try? await read(["XGROUP", "CREATE", RedisWord(keys.alerts), Self.heralds, "0", "MKSTREAM"])
            return try await takeAlarms(worker: worker, patience: patience, limit: limit)
        }
    }

    /// The alarm was told; the ledger keeps the event itself.
    package func told(_ alarm: Alarm) async throws(QueueError) {
        // Deleted first: what is pending and gone is forgotten by the next XAUTOCLAIM, yet an entry that is acknowledged
        // and still there would be handed out to nobody and count as untold for ever.
        _ = try await read(["XDEL", RedisWord(keys.alerts), RedisWord(alarm.entryId)])
        _ = try await read(["XACK", RedisWord(keys.alerts), Self.heralds, RedisWord(alarm.entryId)])
    }
}

extension Alarm {
    init?(_ entry: RedisValue) {
        guard let parts = entry.array, parts.count == 2, let id = parts[0].string,
            let fields = parts[1].fields?.compactMapValues(\.string), let kind = fields["kind"]
        else { return nil }
        self.init(entryId: id, kind: kind, fields: fields)
    }
}
