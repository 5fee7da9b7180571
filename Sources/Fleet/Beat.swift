/// A worker's sign of life: a counter, and the apps it serves. Its text is a field of `fleet:workers`.
package struct Beat: Sendable, Hashable {
    package let count: Int64
    package let apps: Set<String>

    package init(count: Int64, apps: Set<String>) {
        self.count = count
        self.apps = apps
    }

    package init(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 1)
        count = parts.first.flatMap { Int64($0) } ?? 0
        apps = parts.count > 1 ? Set(parts[1].split(separator: ",").map(String.init)) : []
    }

    package var text: String { "\(count) \(apps.sorted().joined(separator: ","))" }
}

extension Beat {
    /// The hash that workers beat in.
    package static func key(prefix: String) -> String { "\(prefix):fleet:workers" }
}
