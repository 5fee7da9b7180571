import Foundation
import Refunds

/// Lines of a file or of standard input, one at a time: a campaign may be larger than memory.
final class LineReader {
    struct Line {
        /// Counted from 1, empty lines included.
        let number: Int
        let bytes: [UInt8]
    }

    private let file: FileHandle
    private let name: String
    private var buffer: [UInt8] = []
    private var start = 0
    private var number = 0
    private var isAtEnd = false

    /// - Parameter path: `-` is standard input.
    init(file path: String) throws(CommandFailure) {
        name = path
        if path == "-" {
            file = .standardInput
        } else {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue,
                let handle = FileHandle(forReadingAtPath: path)
            else { throw CommandFailure(.noSuchThing, "there is no readable file \(path)") }
            file = handle
        }
    }

    /// The next line that isn't empty.
    func next() throws(CommandFailure) -> Line? {
        while let bytes = try nextBytes() {
            number += 1
            if bytes.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) {
                return Line(number: number, bytes: bytes)
            }
        }
        return nil
    }

    private func nextBytes() throws(CommandFailure) -> [UInt8]? {
        var line: [UInt8] = []
        while true {
            if let end = buffer[start...].firstIndex(of: 0x0A) {
                append(buffer[start..<end], to: &line)
                start = end + 1
                return line
            }
            append(buffer[start...], to: &line)
            (buffer, start) = ([], 0)
            if isAtEnd { return line.isEmpty ? nil : line }
            try fill()
        }
    }

    /// Of a line that is too long for any job only so much is kept as it takes to be refused.
    private func append(_ part: ArraySlice<UInt8>, to line: inout [UInt8]) {
        line += part.prefix(max(0, Job.sizeLimit + 1 - line.count))
    }

    private func fill() throws(CommandFailure) {
        do {
            let data = try file.read(upToCount: 65_536) ?? Data()
            isAtEnd = data.isEmpty
            buffer = Array(data)
        } catch {
            throw CommandFailure(.noSuchThing, "\(name) can't be read: \(error.localizedDescription)")
        }
    }
}
