/// A worker's sign of life: a counter, and the apps it serves. Its text is a field of `fleet:workers`.
struct Beat {
    let count: Int64
    let apps: Set<String>

    init(count: Int64, apps: Set<String>) {
        self.count = count
        self.apps = apps
    }

    init(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 1)
        count = parts.first.flatMap { Int64($0) } ?? 0
        apps = parts.count > 1 ? Set(parts[1].split(separator: ",").map(String.init)) : []
    }

    var text: String { "\(count) \(apps.sorted().joined(separator: ","))" }
}
