import Redis

/// A job that some worker is sending now.
package struct HeldJob: Sendable, Hashable {
    package let id: String
    package let transactionId: String
    package let worker: String
    /// UNIX milliseconds.
    package let since: Int64
}

extension JobQueue {
    /// What is being sent, the longest under way first.
    package func heldJobs() async throws(QueueError) -> [HeldJob] {
        let ids = try await read(["ZRANGE", RedisWord(keys.leases), "0", "-1"]).strings ?? []
        var jobs: [HeldJob] = []
        for id in ids {
            let fields =
                try await read(["HMGET", RedisWord(keys.job(id)), "worker", "departed", "transaction"]).array ?? []
            // Answered since the list was read: then it has no worker any more.
            guard fields.count == 3, let worker = fields[0].string, let departed = fields[1].integer else { continue }
            jobs.append(
                HeldJob(id: id, transactionId: fields[2].string ?? "", worker: worker, since: departed / 1000))
        }
        return jobs.sorted { $0.since < $1.since }
    }
}
