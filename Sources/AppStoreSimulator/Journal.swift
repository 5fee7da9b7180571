import Foundation

/// Writes the journal's lines to a file and to standard output, and keeps the latest in memory.
///
/// Each line is one `write` of its own, finished before the arrival is answered: a kill -9 loses at most the line being
/// written, and nobody outside knows of an arrival that the file doesn't know.
struct Journal {
    private let outputs: [FileHandle]
    /// How many lines memory keeps; the file has all.
    private let capacity: Int
    private(set) var recent: [JournalLine] = []
    private(set) var forgotten = 0

    struct Failure: Error, CustomStringConvertible {
        let path: String
        let reason: String
        var description: String { "The journal \(path) can't be written: \(reason)." }
    }

    /// Appends to the file if it is there; a last line that a kill tore is ended first, or the next would be torn too.
    init(path: String?, isPrinted: Bool, capacity: Int = 200_000) throws(Failure) {
        var outputs: [FileHandle] = []
        if let path {
            outputs.append(try Self.open(path))
        }
        if isPrinted { outputs.append(.standardOutput) }
        self.outputs = outputs
        self.capacity = capacity
    }

    private static func open(_ path: String) throws(Failure) -> FileHandle {
        let isTorn = isTorn(path)
        let descriptor = Foundation.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Failure(path: path, reason: String(cString: strerror(errno))) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard isTorn else { return file }
        do {
            try file.write(contentsOf: Data("\n".utf8))
            return file
        } catch {
            throw Failure(path: path, reason: "\(error)")
        }
    }

    /// Whether the file is there and its last byte isn't the end of a line. Pipes and devices have no last byte.
    private static func isTorn(_ path: String) -> Bool {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            attributes[.type] as? FileAttributeType == .typeRegular, let file = FileHandle(forReadingAtPath: path),
            let end = try? file.seekToEnd(), end > 0
        else { return false }
        try? file.seek(toOffset: end - 1)
        return (try? file.read(upToCount: 1)) != Data("\n".utf8)
    }

    /// Throws when an output takes no more, for instance because a disk is full: a journal with holes proves nothing.
    mutating func append(_ line: JournalLine) throws {
        var bytes = line.json.bytes
        bytes.append(UInt8(ascii: "\n"))
        for output in outputs { try output.write(contentsOf: Data(bytes)) }
        recent.append(line)
        guard recent.count > capacity + capacity / 4 else { return }
        let surplus = recent.count - capacity
        recent.removeFirst(surplus)
        forgotten += surplus
    }

    /// Empties the memory, not the file.
    mutating func forget() {
        recent.removeAll()
        forgotten = 0
    }
}
