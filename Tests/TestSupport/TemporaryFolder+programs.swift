extension TemporaryFolder {
    /// Writes an executable shell script.
    ///
    /// A shell writes it, not this process: a child that another test starts at that moment would inherit the file open
    /// for writing, and the kernel refuses to run such a file ("Text file busy").
    package func addProgram(_ name: String, _ body: String) async throws {
        let write = #"printf '#!/bin/sh\n%s\n' "$1" >"$0" && chmod 755 "$0""#
        let outcome = try await ShortCommand.run("/bin/sh", ["-c", write, self[name], body])
        precondition(outcome.status == 0, "\(outcome.errors)")
    }
}
