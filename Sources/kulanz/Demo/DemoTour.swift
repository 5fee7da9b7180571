import Queue

/// The commands that show a newcomer around in what the demo has left running, or would with `--keep`.
struct DemoTour {
    private let report: DemoReport
    private let files: DemoFiles
    private let isRunning: Bool
    private let program: String

    init(_ report: DemoReport, in files: DemoFiles, isRunning: Bool, program: String) {
        self.report = report
        self.files = files
        self.isRunning = isRunning
        self.program = program
    }

    var lines: [String] {
        let letter = report.census.letters.first { $0.isOfJob }?.id ?? "case-4725"
        let held = report.kill?.lost.first?.id ?? "case-4707"
        let stops = [
            ("apps list", "three apps, one of them paused"),
            ("dead list", "each dead letter, what to do"),
            ("dead show \(letter)", "one of them whole"),
            ("jobs show \(held)", "what the killed worker held"),
        ]
        let width = stops.map(\.0.count).max() ?? 0
        let commands = stops.map { stop in
            "  \(program) \(stop.0)" + String(repeating: " ", count: width - stop.0.count) + "   # \(stop.1)"
        }
        guard isRunning else {
            return ["", "To look around leave it running, with \(program) demo --keep:"] + commands
        }
        return ["", "Look around from another terminal:", "  export KULANZ_CONFIG=\(files.config)"] + commands
            + [
                "", "Let Apple accept the addendum of podcasts, and its jobs go out at last:",
                "  curl -sS --data-binary @\(files.friendlyScenario) http://127.0.0.1:\(report.port)/_simulator/scenario",
                "  \(program) apps resume podcasts --why 'addendum accepted'",
            ]
    }
}
