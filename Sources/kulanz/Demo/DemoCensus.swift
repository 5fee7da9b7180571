import Queue
import Redis
import Refunds

/// Where every job of the day is, asked from Redis id by id: nothing is concluded from totals.
struct DemoCensus: Sendable {
    enum Place: Sendable, Hashable {
        case state(JobState)
        /// In its lane as its producer wrote it; nothing has looked at it yet.
        case unread

        var word: String {
            switch self {
            case .state(let state): state.rawValue
            case .unread: "unread"
            }
        }
    }

    private(set) var places: [String: Place] = [:]
    private(set) var records: [String: JobRecord] = [:]
    private(set) var lost: [String] = []
    private(set) var letters: [DeadLetter] = []
    private(set) var overviews: [DemoApp: AppOverview] = [:]

    init(of day: DemoDay, _ queues: [DemoApp: JobQueue]) async throws {
        for (app, queue) in queues {
            let overview = try await queue.overview()
            overviews[app] = overview
            letters += try await queue.deadLetters()
            let unread = try await Self.unreadIds(queue, app)
            for job in day.jobs where job.app == app {
                if let record = try await queue.show(job.id) {
                    records[job.id] = record
                    places[job.id] = .state(record.state)
                } else if unread.contains(job.id) {
                    places[job.id] = .unread
                } else {
                    lost.append(job.id)
                }
            }
        }
        let written = letters.count { !$0.isOfJob }
        for number in 0..<max(0, day.expectedLetters - written) { lost.append("letter \(number + 1)") }
    }

    private static func unreadIds(_ queue: JobQueue, _ app: DemoApp) async throws -> Set<String> {
        var ids: Set<String> = []
        for lane in Priority.allCases {
            let entries = try await queue.redis.send(["XRANGE", RedisWord(queue.keys.lane(lane)), "-", "+"])
            for entry in entries.array ?? [] {
                guard let text = entry.array?.last?.fields?["job"]?.bytes else { continue }
                if case .success(let job) = Job.validate(text, app: app.rules, from: .lane(lane)) { ids.insert(job.id) }
            }
        }
        return ids
    }

    func count(_ place: Place) -> Int { places.values.count { $0 == place } }

    /// How many jobs are in each place, the most first.
    func counts(of app: DemoApp? = nil, in day: DemoDay) -> [(word: String, count: Int)] {
        var counts: [String: Int] = [:]
        for job in day.jobs where app == nil || job.app == app {
            if let place = places[job.id] { counts[place.word, default: 0] += 1 }
        }
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
    }
}
