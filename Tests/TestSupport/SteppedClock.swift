import Foundation

/// A wall clock of one child process that a test may set; the child's monotonic clock runs on as it is. Linux only.
package struct SteppedClock: Sendable {
    /// What the child has to be started with.
    package let environment: [String: String]
    private let file: String

    /// - Parameter folder: where the file lies that tells the child how far its clock is off.
    package init(in folder: TemporaryFolder) throws {
        file = "\(folder.path)/clock"
        environment = ProcessInfo.processInfo.environment.merging([
            "LD_PRELOAD": BuildProduct.path(of: "libSteppedClock.so"), "STEPPED_CLOCK": file,
        ]) { $1 }
        try Data(count: MemoryLayout<Int64>.size).write(to: URL(fileURLWithPath: file))
    }

    /// From now on the child's clock is so far off.
    package func set(millisecondsOff: Int64) throws {
        // In place, for the child has the file mapped.
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
        try withUnsafeBytes(of: millisecondsOff * 1000) { try handle.write(contentsOf: Data($0)) }
        try handle.close()
    }
}
