import AppStoreSimulator
import Foundation

/// Counts a journal while it is written, for the live line; the verdict comes from an audit of the whole.
struct JournalFollower {
    private let path: String
    private var file: FileHandle?
    private var partial: [UInt8] = []
    private var referenceIds: Set<String> = []

    private(set) var arrivals = 0
    private(set) var accepted = 0
    private(set) var repeats = 0
    private(set) var takenTransactions: Set<String> = []

    init(_ path: String) { self.path = path }

    mutating func read() {
        file = file ?? FileHandle(forReadingAtPath: path)
        guard let data = try? file?.readToEnd() else { return }
        partial += data
        guard let end = partial.lastIndex(of: UInt8(ascii: "\n")) else { return }
        for line in partial[..<end].split(separator: UInt8(ascii: "\n")) {
            if case .arrival(let entry) = JournalLine(reading: Array(line)) { count(entry) }
        }
        partial.removeSubrange(...end)
    }

    private mutating func count(_ entry: JournalEntry) {
        arrivals += 1
        if entry.status == 200 { accepted += 1 }
        if let id = entry.referenceId, !referenceIds.insert(id).inserted { repeats += 1 }
        if entry.isProcessed, let id = entry.transactionId { takenTransactions.insert(id) }
    }
}
