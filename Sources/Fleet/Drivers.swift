/// Which workers drive an app: answer its bells and keep its timers. A hint, so that the cost of a job doesn't grow with
/// the number of workers; Redis stays the judge, and every worker sweeps every app now and then.
///
/// Rendezvous hashing: each worker makes a number of its name and the app's, and the highest two drive. Who comes or goes
/// moves only the apps that are its own.
enum Drivers {
    static let number = 2

    /// - Parameter live: the live workers with the apps they serve.
    static func includes(_ worker: String, for app: String, among live: [String: Set<String>]) -> Bool {
        let mine = weight(worker, app)
        var above = 0
        for (other, apps) in live where other != worker && apps.contains(app) {
            let theirs = weight(other, app)
            if theirs > mine || theirs == mine && other > worker { above += 1 }
            if above == number { return false }
        }
        return true
    }

    /// FNV-1a, 64 bits, with a final mix: names that differ in a digit must not end up near each other.
    private static func weight(_ worker: String, _ app: String) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in worker.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        hash = (hash ^ 0xFF) &* 0x100_0000_01B3
        for byte in app.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        hash ^= hash >> 33
        hash = hash &* 0xFF51_AFD7_ED55_8CCD
        return hash ^ hash >> 33
    }
}
