import Foundation

/// What the same build made as these tests.
package enum BuildProduct {
    /// Its path beside the test bundle; the mere name if it isn't there.
    package static func path(of name: String) -> String {
        var folder = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        for _ in 0..<5 {
            let candidate = folder.appending(path: name).path
            var isFolder = ObjCBool(false)
            if FileManager.default.fileExists(atPath: candidate, isDirectory: &isFolder), !isFolder.boolValue {
                return candidate
            }
            folder.deleteLastPathComponent()
        }
        return name
    }
}
