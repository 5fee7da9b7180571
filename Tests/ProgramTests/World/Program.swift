import EventLoop
import Foundation
import Lifecycle
import TestSupport

/// The built command, as a user would start it.
enum Program {
    static let path = BuildProduct.path(of: "kulanz")
}

/// Starts a program and gives its output once it has ended.
func output(
    of program: String, _ arguments: [String], on loop: EventLoop = TestLoop.shared
) async throws -> (exit: ChildProcess.Exit, lines: [String], errors: [String]) {
    let child = try await ChildProcess.start(
        program, .init(arguments: arguments, output: .lines, errors: .lines), on: loop)
    async let errors = child.errors.reduce(into: [String]()) { $0.append($1) }
    let lines = await child.output.reduce(into: [String]()) { $0.append($1) }
    return (await child.exit, lines, await errors)
}
