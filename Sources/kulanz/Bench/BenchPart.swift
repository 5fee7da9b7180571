import Arguments

/// What `kulanz bench` can measure.
enum BenchPart: String, CaseIterable, Sendable {
    case drain, calls, memory, enqueue, idle, limiter, takeover

    var title: String {
        switch self {
        case .drain: "Drain of waiting jobs"
        case .calls: "Script calls a job"
        case .memory: "Redis' memory for a waiting job"
        case .enqueue: "Enqueue"
        case .idle: "From XADD to the first byte at Apple, in an idle fleet"
        case .limiter: "Five requests a second, shared by four workers"
        case .takeover: "Takeover after kill -9"
        }
    }
}

/// A part as it is named on the command line, or all of them.
struct BenchChoice: ArgumentValue {
    let parts: [BenchPart]
    let argument: String

    init?(argument: String) {
        self.argument = argument
        if argument == "all" {
            parts = BenchPart.allCases
        } else if let part = BenchPart(rawValue: argument) {
            parts = [part]
        } else {
            return nil
        }
    }

    static var allowedWords: [String] { BenchPart.allCases.map(\.rawValue) + ["all"] }
    static var expectation: String { "one of " + allowedWords.joined(separator: ", ") }
}
