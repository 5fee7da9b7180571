/// Which failures in a row are worth a line in the log: the first of a kind, then each time they have doubled.
///
/// A server that is away for a night is tried a hundred thousand times; seventeen lines tell as much.
struct Complaints {
    private var failures = 0
    private var reason: String?

    /// The number of failures for this reason so far, if this one is to be logged.
    mutating func another(_ reason: String) -> Int? {
        if reason != self.reason { (self.reason, failures) = (reason, 0) }
        failures += 1
        return failures & (failures - 1) == 0 ? failures : nil
    }

    mutating func forget() { (reason, failures) = (nil, 0) }
}
