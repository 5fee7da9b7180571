import Arguments

/// What `kulanz bench` can measure.
enum BenchPart: String, ArgumentValue, CaseIterable, Sendable {
    case drain, calls

    var title: String {
        switch self {
        case .drain: "Drain of waiting jobs"
        case .calls: "Script calls a job"
        }
    }
}
