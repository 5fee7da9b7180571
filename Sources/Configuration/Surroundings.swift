private import Foundation

/// What a configuration may refer to: the variables of the process, and files beside the configuration.
package struct Surroundings: Sendable {
    package let variables: [String: String]
    /// Relative paths begin here.
    package let folder: String

    package init(variables: [String: String], folder: String) {
        self.variables = variables
        self.folder = folder
    }

    func path(_ text: String) -> String {
        text.hasPrefix("/") ? text : URL(filePath: folder, directoryHint: .isDirectory).appending(path: text).path
    }

    /// A folder's path without `.` and `..`, absolute whatever the present folder becomes.
    func folderPath(_ text: String) -> String { URL(filePath: path(text)).standardizedFileURL.path }

    /// Nil if there is no such file, or it can't be read.
    func bytes(of file: String) -> [UInt8]? { FileManager.default.contents(atPath: path(file)).map(Array.init) }
}
