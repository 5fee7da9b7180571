/// What is wrong with a scenario, and at which key.
package struct ScenarioError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Like `rules[2].then.status`; empty for the file as a whole.
    package let path: String
    package let problem: String

    package init(path: String, problem: String) {
        self.path = path
        self.problem = problem
    }

    init(path: [any CodingKey], problem: String) {
        self.init(path: Self.text(of: path), problem: problem)
    }

    init(_ error: DecodingError) {
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            self.init(path: context.codingPath, problem: context.debugDescription)
        case .keyNotFound(let key, let context):
            self.init(path: context.codingPath + [key], problem: "is missing")
        case .dataCorrupted(let context):
            let cause = context.underlyingError.map { " (\($0))" } ?? ""
            self.init(path: context.codingPath, problem: context.debugDescription + cause)
        @unknown default:
            self.init(path: "", problem: String(describing: error))
        }
    }

    package var description: String { path.isEmpty ? problem : "\(path): \(problem)" }

    private static func text(of path: [any CodingKey]) -> String {
        path.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += (text.isEmpty ? "" : ".") + key.stringValue
            }
        }
    }
}
