import EventLoop
import Foundation
import Lifecycle
import TestSupport
import Testing

@Suite struct ChildProcessTests {
    private func shell(_ script: String, _ options: ChildProcess.Options = .init()) async throws -> ChildProcess {
        var options = options
        options.arguments = ["-c", script]
        return try await ChildProcess.start("sh", options, on: TestLoop.shared)
    }

    private func lines(of stream: AsyncStream<String>) async -> [String] {
        await stream.reduce(into: []) { $0.append($1) }
    }

    @Test(arguments: [0, 1, 42, 255] as [Int32])
    func `an exit code is reported`(code: Int32) async throws {
        let child = try await shell("exit \(code)")
        #expect(await child.exit == .code(code))
        #expect(await child.exit == .code(code))
        #expect(await !child.isRunning)
    }

    @Test(arguments: [SIGTERM, SIGKILL, SIGHUP])
    func `a death by signal is reported as such`(signal: Int32) async throws {
        let child = try await shell("echo ready; exec sleep 1000", .init(output: .lines))
        #expect(await child.output.first { _ in true } == "ready")
        #expect(await child.kill(signal))
        #expect(await child.exit == .signal(signal))
        #expect(await !child.kill(signal))
    }

    @Test func `the dead leave no zombie`() async throws {
        let child = try await shell("exit 0")
        _ = await child.exit
        #expect(kill(child.pid, 0) == -1)
        #expect(errno == ESRCH)
    }

    @Test func `output comes line by line, each stream by itself`() async throws {
        let script = "echo one; echo oops >&2; printf 'two\\n\\nlast without end'"
        let child = try await shell(script, .init(output: .lines, errors: .lines))
        #expect(await lines(of: child.output) == ["one", "two", "", "last without end"])
        #expect(await lines(of: child.errors) == ["oops"])
        #expect(await child.exit == .code(0))
    }

    @Test func `much output doesn't get stuck`() async throws {
        let child = try await shell("seq 1 50000", .init(output: .lines))
        var count = 0
        var last = ""
        for await line in child.output { (count, last) = (count + 1, line) }
        #expect(last == "50000")
        #expect(count >= 10_000)
        #expect(await child.exit == .code(0))
    }

    @Test func `environment and directory are the child's own`() async throws {
        try await withTemporaryFolder { folder in
            let options = ChildProcess.Options(
                environment: ["PATH": "/usr/bin:/bin", "GREETING": "Salaan"], directory: folder.path, output: .lines)
            let child = try await shell("echo $GREETING; pwd -P; env | grep -c HOME", options)
            let lines = await lines(of: child.output)
            #expect(lines.first == "Salaan")
            #expect(lines[1].hasSuffix(folder.path))
            #expect(lines.last == "0")
        }
    }

    @Test func `output can go to a file or nowhere`() async throws {
        try await withTemporaryFolder { folder in
            for word in ["one", "two"] {
                let child = try await shell(
                    "echo \(word); echo gone >&2", .init(output: .file(folder["out"]), errors: .discarded))
                #expect(await child.exit == .code(0))
            }
            #expect(try String(contentsOfFile: folder["out"], encoding: .utf8) == "one\ntwo\n")
        }
    }

    @Test func `a program that doesn't exist is an error`() async throws {
        do {
            _ = try await ChildProcess.start("kulanz-no-such-program", on: TestLoop.shared)
            Issue.record("it started")
        } catch {
            #expect(error.code == ENOENT)
            #expect("\(error)".contains("kulanz-no-such-program"))
        }
    }

    @Test func `who ignores SIGTERM is killed`() async throws {
        let child = try await shell("trap '' TERM; echo ready; exec sleep 1000", .init(output: .lines))
        _ = await child.output.first { _ in true }
        #expect(await child.stop(within: .milliseconds(50)) == .signal(SIGKILL))
    }

    @Test func `a child holds none of our descriptors open`() async throws {
        // A pipe of ours must end when we close it, whatever children were started in between.
        let first = try await shell("cat; echo over", .init(output: .lines))
        let second = try await shell("exec sleep 1000")
        #expect(await lines(of: first.output) == ["over"])
        await second.kill(SIGKILL)
        _ = await second.exit
    }
}
