import Foundation
import Lifecycle
import TestSupport
import Testing

/// Another process is needed to meet a claim: POSIX's locks don't hold against their own process.
@Suite struct FolderClaimTests {
    /// Takes the lock as another program does, says so, and keeps it until its input ends or it is killed.
    private static let stranger = """
        import fcntl, os, sys, time
        fd = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        print("taken", flush=True)
        sys.stdin.read()
        """

    private func stranger(_ file: String) async throws -> ChildProcess {
        let child = try await ChildProcess.start(
            "python3", .init(arguments: ["-c", Self.stranger, file], input: .leash, output: .lines),
            on: TestLoop.shared)
        #expect(await child.output.first { _ in true } == "taken")
        return child
    }

    @Test func `a claim of another process is seen and respected until that process is gone`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder["up.lock"]
            #expect(try FolderClaim.holder(file) == nil)
            let other = try await stranger(file)
            #expect(try FolderClaim.holder(file) == other.pid)
            #expect(throws: FolderClaimError.taken(pid: other.pid)) { try FolderClaim.take(file) }
            await other.kill(SIGKILL)
            _ = await other.exit
            #expect(try FolderClaim.holder(file) == nil)
            try FolderClaim.take(file)
        }
    }

    @Test func `a claim of ours keeps another process out`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder["up.lock"]
            try FolderClaim.take(file)
            let outcome = try await ShortCommand.run("python3", ["-c", Self.stranger, file])
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("BlockingIOError"))
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test func `a folder that isn't there is an error that names the file`() async throws {
        try await withTemporaryFolder { folder in
            let error = #expect(throws: FolderClaimError.self) { try FolderClaim.take(folder["none/up.lock"]) }
            #expect(error?.description.contains("none/up.lock") == true)
        }
    }
}
