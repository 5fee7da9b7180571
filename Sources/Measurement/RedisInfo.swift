/// What Redis answers to `INFO`: lines of name and value.
package struct RedisInfo: Sendable, Hashable {
    private let values: [String: String]

    package init(_ text: String) {
        values = text.split(whereSeparator: \.isNewline).reduce(into: [:]) { values, line in
            guard !line.hasPrefix("#"), let colon = line.firstIndex(of: ":") else { return }
            values[String(line[..<colon])] = String(line[line.index(after: colon)...])
        }
    }

    package subscript(name: String) -> String? { values[name] }

    package func number(_ name: String) -> Double? { values[name].flatMap { Double($0) } }

    /// Processor time of the whole server, in seconds.
    package var cpuSeconds: Double { (number("used_cpu_user") ?? 0) + (number("used_cpu_sys") ?? 0) }

    /// From the section `commandstats`: how often each command was called, those within scripts included.
    package var calls: [String: Int] {
        values.reduce(into: [:]) { calls, entry in
            guard entry.key.hasPrefix("cmdstat_") else { return }
            let count = entry.value.split(separator: ",").first { $0.hasPrefix("calls=") }
            calls[String(entry.key.dropFirst("cmdstat_".count))] = count.flatMap { Int($0.dropFirst("calls=".count)) }
        }
    }
}
