import Foundation
import TestSupport
import Testing

/// The unit as systemd itself reads it. Where systemd isn't installed there is nobody to ask, and nothing runs.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze")))
struct `The systemd unit` {
    private static let unit = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "config/systemd/kulanz.service")

    /// Runs systemd-analyze on the unit, with the program of this build in it.
    private func analyze(_ words: String...) async throws -> ShortCommand.Outcome {
        try await withTemporaryFolder { folder in
            let text = try String(contentsOf: Self.unit, encoding: .utf8)
            #expect(text.contains("ExecStart=/usr/local/bin/kulanz up "))
            try text.replacing("/usr/local/bin/kulanz", with: Program.path)
                .write(toFile: folder["kulanz.service"], atomically: true, encoding: .utf8)
            return try await ShortCommand.run("/usr/bin/systemd-analyze", words + [folder["kulanz.service"]])
        }
    }

    @Test func `it holds nothing that systemd doesn't know`() async throws {
        let outcome = try await analyze("verify")
        #expect(outcome.status == 0)
        let about = outcome.errors.split(separator: "\n").filter { $0.contains("kulanz.service") }
        #expect(about == [])
    }

    @Test func `it leaves little to who breaks in`() async throws {
        let outcome = try await analyze("security", "--offline=true", "--threshold=15")
        #expect(outcome.status == 0, "\(outcome.output.suffix(200)) \(outcome.errors)")
        #expect(outcome.output.contains("Overall exposure level"))
    }

    @Test func `it gives a drain more time than a worker takes by default`() throws {
        let text = try String(contentsOf: Self.unit, encoding: .utf8)
        let seconds = try #require(text.firstMatch(of: /\nTimeoutStopSec=([0-9]+)\n/).flatMap { Int($0.1) })
        // The drain, what `up` gives behind it, and Redis' end.
        #expect(seconds > 45 + 12 + 20)
    }
}
