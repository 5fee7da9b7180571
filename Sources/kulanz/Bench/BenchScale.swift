/// How much is measured.
struct BenchScale: Sendable {
    /// In each repetition of drain, calls, memory and enqueue.
    var jobs: Int
    var repetitions: Int
    /// Of the parts that wait for production's own times.
    var longRepetitions = 1
    /// How many jobs one call may lease in a drain; see `GateRate.open`.
    var permitsPerCall = 5
    /// Jobs that are added one by one to an idle fleet.
    var idleJobs = 200
    /// Jobs behind the limit of five a second.
    var limitedJobs = 150
    /// Jobs under way or waiting when a worker is killed.
    var takeoverJobs = 50
    /// Whether a worker's time-outs are short, so that a takeover can be seen sooner.
    var hasShortTimeouts = false

    static let full = BenchScale(jobs: 20_000, repetitions: 3)

    /// To see that everything works; its figures mean little.
    static let quick = BenchScale(
        jobs: 200, repetitions: 1, idleJobs: 8, limitedJobs: 20, takeoverJobs: 20, hasShortTimeouts: true)
}
