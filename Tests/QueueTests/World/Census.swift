import Redis

/// Everything that lies in an app's keys at one moment, read without the scripts' help.
///
/// It knows the keys by name only, so that it can contradict the scripts.
struct Census {
    /// Where a job is on the road.
    enum Place: Hashable, CustomStringConvertible {
        case stream(String)
        case ready(String)
        case later
        case lease
        case line(String)
        case followup
        case dead

        var description: String {
            switch self {
            case .stream(let lane): "stream \(lane)"
            case .ready(let lane): "ready \(lane)"
            case .later: "later"
            case .lease: "lease"
            case .line(let line): "line \(line)"
            case .followup: "followups"
            case .dead: "dead"
            }
        }
    }

    struct Entry {
        let lane: String
        let id: String
        let fields: [String]
        var reference: String? { fields.count == 2 && fields[0] == "id" ? fields[1] : nil }
    }

    struct Letter {
        let entry: String
        let fields: [String: String]
        var id: String { fields["id"] ?? "" }
    }

    var jobs: [String: [String: String]] = [:]
    /// Records of letters that never became a job.
    var letterRecords: [String: [String: String]] = [:]
    var purchases: [String: [String: String]] = [:]
    var entries: [Entry] = []
    var pending: Set<String> = []
    var letters: [Letter] = []
    var sets: [String: [(member: String, score: Double)]] = [:]
    var held: Set<String> = []
    var gate: [String: String] = [:]
    var departures: [Int64] = []
    /// Alarms that nobody has told, oldest first.
    var alerts: [(entry: String, kind: String)] = []

    private static let script = RedisScript(
        name: "census",
        source: """
            #!lua flags=no-writes
            local wanted = { 'state', 'ref', 'round', 'unclear', 'sends', 'attempts', 'started', 'lost', 'fence', 'line',
                'transaction', 'waitsFor', 'worker', 'dead', 'ghost', 'letter', 'redrives' }
            local out = {}
            local first = #ARGV[1] + 1
            for _, key in ipairs(redis.call('KEYS', ARGV[1] .. '*')) do
                local name, kind = string.sub(key, first), redis.call('TYPE', key).ok
                if name ~= ':ledger' then
                    local content
                    if kind == 'zset' then content = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
                    elseif kind == 'list' then content = redis.call('LRANGE', key, 0, -1)
                    elseif kind == 'set' then content = redis.call('SMEMBERS', key)
                    elseif kind == 'stream' then content = redis.call('XRANGE', key, '-', '+')
                    elseif string.sub(name, 1, 5) == ':job:' then
                        content = {}
                        for i, value in ipairs(redis.call('HMGET', key, unpack(wanted))) do
                            if value then
                                content[#content + 1] = wanted[i]
                                content[#content + 1] = value
                            end
                        end
                    else content = redis.call('HGETALL', key) end
                    out[#out + 1] = { name, kind, content }
                    if kind == 'stream' and string.sub(name, 1, 6) == ':jobs:' then
                        local list = redis.pcall('XPENDING', key, 'fleet', '-', '+', 1000)
                        if not list.err then out[#out + 1] = { name, 'pending', list } end
                    end
                end
            end
            return out
            """)

    init(_ redis: RedisClient, base: String) async throws {
        let parts = try await redis.run(Self.script, arguments: [RedisWord(base)]).array ?? []
        for part in parts {
            guard let part = part.array, part.count == 3, let name = part[0].string, let kind = part[1].string else {
                continue
            }
            read(String(name.dropFirst()), kind, part[2])
        }
    }

    private mutating func read(_ name: String, _ kind: String, _ content: RedisValue) {
        let words = name.split(separator: ":", maxSplits: 1).map(String.init)
        switch (words[0], kind) {
        case ("job", "hash"):
            let fields = (content.fields ?? [:]).compactMapValues(\.string)
            if fields["letter"] == nil { jobs[words[1]] = fields } else { letterRecords[words[1]] = fields }
        case ("purchase", "hash"): purchases[words[1]] = (content.fields ?? [:]).compactMapValues(\.string)
        case ("jobs", "stream"):
            for entry in content.array ?? [] {
                guard let parts = entry.array, let id = parts[0].string, let fields = parts[1].strings else { continue }
                entries.append(Entry(lane: words[1], id: id, fields: fields))
            }
        case ("jobs", "pending"):
            for item in content.array ?? [] { pending.insert(words[1] + " " + (item.array?.first?.string ?? "")) }
        case ("dead", "stream"):
            letters = (content.array ?? []).compactMap { entry in
                guard let parts = entry.array, let id = parts[0].string, let fields = parts[1].fields else {
                    return nil
                }
                return Letter(entry: id, fields: fields.compactMapValues(\.string))
            }
        case ("alerts", "stream"):
            alerts = (content.array ?? []).compactMap { entry in
                guard let parts = entry.array, let id = parts[0].string else { return nil }
                return (id, parts[1].fields?["kind"]?.string ?? "")
            }
        case (_, "zset"):
            let flat = content.strings ?? []
            sets[name] = stride(from: 0, to: flat.count, by: 2).map { (flat[$0], Double(flat[$0 + 1]) ?? .nan) }
        case ("held", "set"): held = Set(content.strings ?? [])
        case ("gate", "hash"): gate = (content.fields ?? [:]).compactMapValues(\.string)
        case ("gate", "list"): departures = (content.array ?? []).compactMap(\.integer)
        default: break
        }
    }

    func members(_ set: String) -> [String] { sets[set, default: []].map(\.member) }

    func score(of id: String, in set: String) -> Double? {
        sets[set, default: []].first { $0.member == id }?.score
    }

    /// Where each job is. A reference that lies in a stream is a place only while its job can be sent: one that was
    /// withdrawn or settled meanwhile is dropped when `lease` meets it.
    var places: [String: [Place]] {
        var places: [String: [Place]] = [:]
        for (name, members) in sets {
            let place: Place
            if name == "later" {
                place = .later
            } else if name == "leases" {
                place = .lease
            } else if name == "followups" {
                place = .followup
            } else if name.hasPrefix("ready:") {
                place = .ready(String(name.dropFirst(6)))
            } else if name.hasPrefix("line:") {
                place = .line(String(name.dropFirst(5)))
            } else {
                continue
            }
            for (member, _) in members { places[member, default: []].append(place) }
        }
        for entry in entries {
            guard let id = entry.reference, let job = jobs[id], job["ghost"] == nil,
                ["queued", "waiting", "unclear"].contains(job["state"])
            else { continue }
            places[id, default: []].append(.stream(entry.lane))
        }
        for letter in letters where jobs[letter.id] != nil { places[letter.id, default: []].append(.dead) }
        return places
    }
}
