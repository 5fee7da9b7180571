import Foundation
import Lifecycle
import Queue
import Redis
import Refunds
import TestSupport
import Testing

/// What the README tells a newcomer to type works as it stands there.
@Suite struct `The README` {
    static let text: String = {
        var folder = URL(filePath: #filePath)
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            let file = folder.appending(path: "README.md").path
            if let text = try? String(contentsOfFile: file, encoding: .utf8) { return text }
        }
        return ""
    }()

    /// The fenced blocks of a language, in order.
    static func blocks(_ language: String) -> [String] {
        text.components(separatedBy: "```" + language + "\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
    }

    /// Commands by their plain names, on this world's Redis and configuration.
    func prepare(_ world: ProgramWorld) async throws {
        let bin = world.folder["bin"]
        try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: bin + "/kulanz", withDestinationPath: Program.path)
        try await world.folder.addProgram(
            "bin/redis-cli", "PATH=${PATH#*:} exec redis-cli -s '\(world.folder["redis.sock"])' \"$@\"")
        let lines = [
            TestJob(id: "case-4713", transaction: "2000000123456790").json,
            TestJob(id: "case-4712", transaction: "2000000123456791-4000132-x1").json,
        ]
        try (lines.joined(separator: "\n") + "\n").write(
            toFile: world.folder["jobs.jsonl"], atomically: true, encoding: .utf8)
    }

    func run(_ block: String, in world: ProgramWorld) async throws {
        let script = """
            set -e
            cd '\(world.folder.path)'
            export PATH="\(world.folder["bin"]):$PATH" KULANZ_CONFIG='\(try world.configuration())'
            \(block)
            """
        let run = try await output(of: "/bin/sh", ["-c", script])
        #expect(
            run.exit == .code(0),
            "\(block)\n\(run.lines.joined(separator: "\n"))\n\(run.errors.joined(separator: "\n"))")
    }

    @Test func `says nothing that doesn't run`() async throws {
        let blocks = Self.blocks("sh")
        try #require(blocks.count == 3, "push by redis-cli, push by kulanz, look")
        try await withProgram { world in
            try await prepare(world)
            try await run(blocks[0], in: world)
            try await run(blocks[1], in: world)
            #expect(try await world.workUntilIdle() == .code(0))
            #expect(try await world.queue().state(of: "case-4711") == .accepted)
            #expect(try await world.queue().state(of: "case-4712") == .dead)
            try await run(blocks[2], in: world)
            #expect(try await world.workUntilIdle() == .code(0))
            #expect(try await world.queue().state(of: "case-4712") == .accepted)
        }
    }
}
