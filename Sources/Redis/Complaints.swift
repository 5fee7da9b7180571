/// Which failures in a row are worth a line in the log: the first, then each time they have doubled.
///
/// A server that is away for a night is tried a hundred thousand times; seventeen lines tell as much.
struct Complaints {
    private var failures = 0

    /// The number of failures so far, if this one is to be logged.
    mutating func another() -> Int? {
        failures += 1
        return failures & (failures - 1) == 0 ? failures : nil
    }

    mutating func forget() { failures = 0 }
}
