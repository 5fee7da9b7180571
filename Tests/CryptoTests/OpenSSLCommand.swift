import Foundation
import TestSupport
import Testing

/// The `openssl` command, which shares no code with us above the library: it makes the wrong keys and checks what
/// we sign. Each value has a folder of its own that goes with it.
final class OpenSSLCommand: Sendable {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "kulanz-crypto-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    @discardableResult
    func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let url = folder.appending(path: name)
        try Data(bytes).write(to: url)
        return url.path
    }

    func write(_ name: String, _ text: String) throws -> String { try write(name, Array(text.utf8)) }

    func read(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: folder.appending(path: name))) }

    /// Runs `openssl` with the words of one line in the folder, or another program of this machine.
    @discardableResult
    func callAsFunction(_ line: String, program: String = "openssl") async throws -> ShortCommand.Outcome {
        let words = line.split(separator: " ").map { $0 == "EMPTY" ? "" : String($0) }
        return try await ShortCommand.run(program, words, in: folder.path)
    }

    /// Runs `openssl` and expects success.
    func make(_ line: String, program: String = "openssl") async throws {
        let outcome = try await self(line, program: program)
        try #require(outcome.status == 0, "\(line): \(outcome.errors)")
    }

    /// An ECDSA-Sig-Value (RFC 3279 section 2.2.3), written by hand so that the check doesn't lean on our own way.
    static func derSignature(_ raw: [UInt8]) -> [UInt8] {
        let numbers = [raw[..<32], raw[32...]].flatMap { half -> [UInt8] in
            var number = Array(half.drop { $0 == 0 })
            if number.first.map({ $0 >= 0x80 }) ?? true { number.insert(0, at: 0) }
            return [0x02, UInt8(number.count)] + number
        }
        return [0x30, UInt8(numbers.count)] + numbers
    }
}
