import Foundation

/// A folder that one test owns. Its path is short, since a UNIX socket's path must be.
package struct TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        var template = Array("/tmp/kulanz-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    package func remove() { try? FileManager.default.removeItem(atPath: path) }

    package func removeFile(_ name: String) { try? FileManager.default.removeItem(atPath: self[name]) }

    /// The path of a file in the folder.
    package subscript(_ name: String) -> String { "\(path)/\(name)" }
}

/// Gives `body` a folder of its own and removes it afterwards.
package func withTemporaryFolder<Result>(
    _ body: (TemporaryFolder) async throws -> Result
) async throws -> Result {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    return try await body(folder)
}
