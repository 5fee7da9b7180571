import Arguments
import Configuration
import Foundation

/// The options that every command over the queue has.
struct ConfigurationOption: Sendable {
    static let arguments: [Argument<Self>] = [
        .option(
            "--config", "FILE", \.file,
            "The configuration; otherwise $KULANZ_CONFIG names it, otherwise config/kulanz.json5."),
        .flag("--json", \.isJSON, "One JSON object a line on standard output, for programs."),
    ]

    var file: String?
    var isJSON = false

    /// The file that is read.
    var path: String { Settings.file(option: file, variables: ProcessInfo.processInfo.environment) }

    func settings() throws(ConfigurationError) -> Settings {
        try Settings.read(file: path, variables: ProcessInfo.processInfo.environment)
    }
}
