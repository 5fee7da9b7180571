import Foundation

/// Runs a program that soon ends by itself, and waits for its end.
///
/// Not Foundation's `Process`: that learns of an end, and its reader of the end of output, when every copy of a
/// descriptor is closed. A server that another test starts at the same moment may inherit one and keep it for ever.
/// Here output goes to files, and the end is asked of the kernel.
package enum ShortCommand {
    package struct Outcome: Sendable {
        /// The exit code, or 128 and the signal, as a shell has it.
        package let status: Int32
        package let output: String
        package let errors: String
    }

    /// - Parameters:
    ///   - program: a path, or a name looked up in `PATH`.
    ///   - folder: where it runs; the present folder otherwise.
    package static func run(
        _ program: String, _ arguments: [String], in folder: String = "."
    ) async throws -> Outcome {
        let files = try TemporaryFolder()
        defer { files.remove() }
        let script = #"cd "$0" && out="$1" err="$2" && shift 2 && exec "$@" </dev/null >"$out" 2>"$err""#
        let words = ["/bin/sh", "-c", script, folder, files["out"], files["err"], program] + arguments
        let status = try await status(of: words)
        return Outcome(status: status, output: try text(files["out"]), errors: try text(files["err"]))
    }

    private static func text(_ file: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: file)), as: UTF8.self)
    }

    /// On a thread of its own: the pool that tests share may have two threads, and a test that blocks one stalls others.
    private static func status(of words: [String]) async throws -> Int32 {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try waitedStatus(of: words) }) }
        }
    }

    private static func waitedStatus(of words: [String]) throws -> Int32 {
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var pid: pid_t = 0
        let failure = posix_spawn(&pid, words[0], nil, nil, &arguments, environ)
        guard failure == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .EIO) }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 {
            guard errno == EINTR else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }
}
