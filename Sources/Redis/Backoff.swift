/// How long to rest before the next attempt to connect: somewhere between 50 ms and a bound that doubles from 100 ms
/// to 2 s. The jitter keeps a fleet from knocking in step.
enum Backoff {
    static func delay(afterFailures failures: Int, random: Double) -> Duration {
        let bound = min(2000, 100 << min(max(failures - 1, 0), 5))
        return .milliseconds(50 + Int(random * Double(bound - 50)))
    }
}
