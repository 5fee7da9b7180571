/// A line of the journal.
package enum JournalLine: Sendable, Hashable {
    /// The simulator started; later stamps count from here. UNIX ms.
    case start(wallMs: Int64)
    case arrival(JournalEntry)
    case stall(StallMeter.Stall)
    /// The worst stall, once more, at an orderly end.
    case stop(StallMeter.Stall)

    package var json: JSONValue {
        switch self {
        case .start(let wallMs): .members(["event": .string("start"), "version": .int(1), "ms": .int(wallMs)])
        case .arrival(let entry): entry.json
        case .stall(let stall):
            .members(["event": .string("stall"), "ns": .int(stall.endNs), "stallNs": .int(stall.lengthNs)])
        case .stop(let worst):
            .members([
                "event": .string("stop"), "worstStallEndedNs": .int(worst.endNs), "worstStallNs": .int(worst.lengthNs),
            ])
        }
    }

    /// Nil for what isn't a line of a journal, such as one that was torn by a kill.
    package init?(reading line: [UInt8]) {
        guard let json = JSONValue(reading: line) else { return nil }
        switch json["event"]?.string {
        case "start":
            guard let wallMs = json["ms"]?.integer else { return nil }
            self = .start(wallMs: wallMs)
        case "arrival":
            guard let entry = JournalEntry(json) else { return nil }
            self = .arrival(entry)
        case "stall":
            guard let end = json["ns"]?.integer, let length = json["stallNs"]?.integer else { return nil }
            self = .stall(StallMeter.Stall(endNs: end, lengthNs: length))
        case "stop":
            guard let end = json["worstStallEndedNs"]?.integer, let length = json["worstStallNs"]?.integer else {
                return nil
            }
            self = .stop(StallMeter.Stall(endNs: end, lengthNs: length))
        default: return nil
        }
    }
}
