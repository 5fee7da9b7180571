import Foundation
import TestSupport
import Testing

/// The scripts that a newcomer meets first, with programs of the test's own in front of the machine's.
@Suite struct `The scripts` {
    static let checkout: String = {
        var folder = URL(filePath: #filePath)
        repeat {
            folder.deleteLastPathComponent()
        } while folder.path != "/"
            && !FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path)
        return folder.path
    }()

    /// Runs a script with `fakes` found before anything else of their names.
    func run(_ words: [String], fakes: [String: String] = [:]) async throws -> ShortCommand.Outcome {
        let bin = try TemporaryFolder()
        defer { bin.remove() }
        for (name, body) in fakes { try await bin.addProgram(name, body) }
        let path = bin.path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        return try await ShortCommand.run("/usr/bin/env", ["PATH=\(path)"] + words, in: Self.checkout)
    }

    @Test func `setup is silent when nothing is missing`() async throws {
        let outcome = try await run(["scripts/setup", "--no-build"])
        #expect(outcome.status == 0)
        #expect(outcome.output + outcome.errors == "")
    }

    @Test(.enabled("apt-get is Debian's") { FileManager.default.fileExists(atPath: "/usr/bin/apt-get") })
    func `setup says what to ask an administrator for when it may not install`() async throws {
        let fakes = [
            "id": "echo 1000", "sudo": "exit 1", "apt-get": "echo apt-get was called >&2; exit 1",
            "pkg-config": "exit 1",
        ]
        let outcome = try await run(["scripts/setup", "--no-build"], fakes: fakes)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("this user may not install them"))
        #expect(outcome.errors.contains("libuv1-dev libhiredis-dev"))
        #expect(!outcome.errors.contains("apt-get was called"))
    }

    @Test func `build says something every ten seconds while it compiles, and shows errors when it fails`() async throws
    {
        let compiler = "echo '[7/9] Compiling'; sleep 14; echo 'x.swift:1:1: error: no such thing'; exit 1"
        let outcome = try await run(["scripts/build"], fakes: ["swift": compiler])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("compiling … 1"))
        #expect(outcome.errors.contains(" s [7/9]"))
        #expect(outcome.errors.contains("error: no such thing"))
    }

    @Test func `lint fails on what the formatter objects to`() async throws {
        let outcome = try await run(["scripts/lint"], fakes: ["swift": "echo 'error: [LineLength]' >&2; exit 1"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("[LineLength]"))
        #expect(!outcome.errors.contains("nothing to object to"))
    }

    @Test(.enabled("make is not installed, and not needed") { FileManager.default.fileExists(atPath: "/usr/bin/make") })
    func `make explains itself, and each target is a script`() async throws {
        let help = try await run(["make", "--no-print-directory", "help"])
        #expect(help.status == 0)
        for target in ["setup", "build", "test", "check", "lint", "format", "demo"] {
            #expect(help.output.contains("make \(target)"))
        }
    }
}
