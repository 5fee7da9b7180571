import AppStoreSimulator
import Foundation
import Lifecycle
import TestSupport

extension ProgramWorld {
    /// Runs a line of the shell as an operator would: `kulanz` is in the path and knows its configuration.
    func line(_ line: String, variables: [String: String] = [:]) async throws -> CommandWorld.Run {
        let inherited = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let bin = URL(filePath: Program.path).deletingLastPathComponent().path
        var environment = [
            "PATH": "\(bin):\(inherited)", "KULANZ_CONFIG": try configuration("operator.json5"), "HOME": folder.path,
            "LC_ALL": "C.UTF-8",
        ]
        environment.merge(variables) { $1 }
        let child = try await ChildProcess.start(
            "/bin/sh",
            .init(
                arguments: ["-c", line], environment: environment, directory: folder.path, output: .lines,
                errors: .lines), on: loop)
        async let errors = child.errors.reduce(into: [String]()) { $0.append($1) }
        let output = await child.output.reduce(into: [String]()) { $0.append($1) }
        return await CommandWorld.Run(exit: child.exit, output: output, errors: errors)
    }

    /// Apple from now on, in the words of a scenario file; its book stays.
    func apple(_ scenario: String) async throws {
        await simulator.adopt(
            try Scenario(json5: Array("{ doubleRefunds: \"accept\", pending: \"never\", \(scenario) }".utf8)))
    }
}

extension CommandWorld.Run {
    /// All that was printed, results and words.
    var text: String { (output + errors).joined(separator: "\n") }
}
