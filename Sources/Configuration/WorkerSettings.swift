/// `worker`: how one worker process behaves.
package struct WorkerSettings: Sendable, Hashable {
    /// Requests under way at the same time, all apps together.
    package let concurrency: Int
    /// How long a job belongs to a worker that doesn't renew its lease.
    package let lease: Duration
    /// From the start of a request until its answer counts as lost.
    package let requestTimeout: Duration
    /// How long a worker that was told to stop waits for what is under way.
    package let drain: Duration
}

extension WorkerSettings {
    init(_ section: Section) {
        concurrency = section.whole("concurrency", default: 64, in: 1...1024, "requests")
        let request = section.number("requestTimeoutSeconds", default: 30, in: 0.1...300, "seconds")
        let lease = section.number("leaseSeconds", default: max(60, request * 2), in: 0.2...3600, "seconds")
        // A lease that ends before the request does makes a second owner while the first may still be served.
        if lease < request * 1.5 {
            section.refuse(
                "leaseSeconds",
                "must be at least one and a half times requestTimeoutSeconds, here \(Section.text(request * 1.5))")
        }
        self.lease = .milliseconds((lease * 1000).rounded())
        requestTimeout = .milliseconds((request * 1000).rounded())
        drain = .milliseconds((section.number("drainSeconds", default: 45, in: 0...3600, "seconds") * 1000).rounded())
        section.finish(later: ["metricsListen": "the metrics endpoint"])
    }

    package static let standard = WorkerSettings(
        concurrency: 64, lease: .seconds(60), requestTimeout: .seconds(30), drain: .seconds(45))
}
