import Foundation
import Lifecycle
import TestSupport

/// A program of this machine that a test needs.
enum Program {
    static func path(of name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return (folders + ["/usr/sbin"]).map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    static func start(_ name: String, _ words: [String]) async throws -> ChildProcess {
        let command = Mortal(path(of: name) ?? name, words)
        let options = ChildProcess.Options(arguments: command.arguments, output: .lines, errors: .discarded)
        return try await ChildProcess.start(command.program, options, on: TestLoop.shared)
    }

    /// Runs a program to its end, which has to be a good one.
    static func run(_ name: String, _ words: [String]) async throws {
        guard try await start(name, words).exit == .code(0) else { throw CocoaError(.executableLoad) }
    }
}
