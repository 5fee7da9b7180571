import Foundation

/// What a process has used, as Linux tells it in /proc; other systems tell nothing here.
package struct ProcessUsage: Sendable, Hashable {
    /// User and system time of all threads, in seconds; the kernel counts in hundredths.
    package var cpuSeconds: Double
    /// Nil where the kernel keeps no `smaps_rollup`.
    package var memory: Memory?

    /// In bytes.
    package struct Memory: Sendable, Hashable {
        package var resident: Int
        /// Resident pages, each divided by the number of processes that share it: these can be added up.
        package var proportional: Int

        package init(resident: Int, proportional: Int) {
            self.resident = resident
            self.proportional = proportional
        }
    }

    package init(cpuSeconds: Double, memory: Memory?) {
        self.cpuSeconds = cpuSeconds
        self.memory = memory
    }

    /// Nil for a process that isn't there, and where there is no /proc.
    package init?(of pid: Int32) {
        guard let stat = Self.text(of: pid, "stat"),
            let seconds = Self.cpuSeconds(inStat: stat, ticksPerSecond: sysconf(Int32(_SC_CLK_TCK)))
        else { return nil }
        cpuSeconds = seconds
        memory = Self.text(of: pid, "smaps_rollup").flatMap(Memory.init(rollup:))
    }

    /// - Parameter ticksPerSecond: `_SC_CLK_TCK`.
    static func cpuSeconds(inStat text: String, ticksPerSecond: Int) -> Double? {
        // The program's name, in brackets, may hold anything, brackets too (proc(5)).
        guard let name = text.lastIndex(of: ")"), ticksPerSecond > 0 else { return nil }
        let fields = text[text.index(after: name)...].split(separator: " ")
        guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else { return nil }
        return Double(user + system) / Double(ticksPerSecond)
    }

    /// /proc knows no length beforehand, which readers that ask for it first take for an empty file.
    private static func text(of pid: Int32, _ file: String) -> String? {
        guard let handle = FileHandle(forReadingAtPath: "/proc/\(pid)/\(file)"),
            let data = try? handle.readToEnd()
        else { return nil }
        return String(decoding: data, as: UTF8.self)
    }
}

extension ProcessUsage.Memory {
    /// Reads `smaps_rollup` (proc(5)), whose sizes are in kB of 1,024 bytes.
    init?(rollup text: String) {
        func bytes(_ name: String) -> Int? {
            for line in text.split(whereSeparator: \.isNewline) {
                let words = line.split(separator: " ")
                if words.first == name[...], words.count > 1 { return Int(words[1]).map { $0 * 1024 } }
            }
            return nil
        }
        guard let resident = bytes("Rss:"), let proportional = bytes("Pss:") else { return nil }
        self.init(resident: resident, proportional: proportional)
    }
}
