/// Everything that is wrong with a configuration, not the first thing alone. Exit code 78.
package struct ConfigurationError: Error, Hashable, CustomStringConvertible {
    package struct Problem: Sendable, Hashable {
        /// The key from the top, such as `apps.audiobooks.limit.guardMs`; empty for the file as a whole.
        package let path: String
        /// Counted from 1; nil where no line is to blame.
        package let line: Int?
        /// What is wrong and what is expected. Never a secret's value.
        package let message: String
    }

    package let file: String
    package let problems: [Problem]

    package var description: String {
        let head =
            problems.count == 1 ? "\(file) can't be used:" : "\(file) can't be used, for \(problems.count) reasons:"
        return ([head] + problems.map { "  " + $0.description }).joined(separator: "\n")
    }
}

extension ConfigurationError.Problem: CustomStringConvertible {
    package var description: String {
        switch (path.isEmpty, line) {
        case (true, nil): message
        case (true, let line?): "line \(line): \(message)"
        case (false, nil): "\(path): \(message)"
        case (false, let line?): "\(path) (line \(line)): \(message)"
        }
    }
}
