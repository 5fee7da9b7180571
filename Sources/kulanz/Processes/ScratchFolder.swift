import Foundation

/// A folder in /tmp that a command works in and takes away with it; open to nobody else.
struct ScratchFolder: Sendable {
    let path: String

    /// - Parameter name: short, for a UNIX socket's path must be.
    init(_ name: String) throws {
        var template = Array("/tmp/\(name)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw ScratchFailure(reason: String(cString: strerror(errno))) }
        path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }

    subscript(file: String) -> String { "\(path)/\(file)" }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}

struct ScratchFailure: Error, CustomStringConvertible {
    let reason: String

    var description: String { "no folder could be made in /tmp: \(reason)" }
}
