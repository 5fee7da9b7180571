import Foundation
import Measurement
import Refunds

/// What the figures were measured on.
enum BenchMachine {
    #if DEBUG
        static let build = "debug"
    #else
        static let build = "release"
    #endif

    static let cores = ProcessInfo.processInfo.activeProcessorCount

    /// As the kernel names it; nil where it doesn't.
    static let processor = line(of: "/proc/cpuinfo", after: "model name", ":")

    static let system =
        line(of: "/etc/os-release", after: "PRETTY_NAME", "=")?.trimmingCharacters(in: ["\""])
        ?? ProcessInfo.processInfo.operatingSystemVersionString

    /// How many processes wanted a processor in the last minute, on average; those of others spoil figures.
    static var load: Double {
        var averages = [0.0, 0, 0]
        return getloadavg(&averages, 3) > 0 ? averages[0] : 0
    }

    static var json: JSON {
        .object(
            JSONObject([
                "cores": .integer(Int64(cores)), "processor": processor.map { .string($0) }, "system": .string(system),
                "load": try? JSON(reading: Array(String((load * 100).rounded() / 100).utf8)),
            ]))
    }

    /// The head of docs/benchmarks.md's tables.
    static func sentence(_ versions: [String: String]) -> String {
        let programs = versions.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        let day = Date().formatted(.iso8601.year().month().day())
        return """
            Measured on \(day): \(processor ?? "unknown processor"), \(cores) cores, \(system); \(programs), \(build) \
            build; load average \(Sample.text(load, digits: 1)) at the beginning. Medians, and in brackets from least to most.
            """
    }

    private static func line(of file: String, after name: String, _ separator: Character) -> String? {
        guard let handle = FileHandle(forReadingAtPath: file), let data = try? handle.readToEnd() else { return nil }
        let line = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).first { $0.hasPrefix(name) }
        guard let line, let start = line.firstIndex(of: separator) else { return nil }
        return line[line.index(after: start)...].trimmingCharacters(in: .whitespaces)
    }
}
