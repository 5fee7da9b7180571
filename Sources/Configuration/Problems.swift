/// Collects what is wrong while a file is read to its end.
final class Problems {
    private(set) var all: [ConfigurationError.Problem] = []

    func add(_ path: String, line: Int?, _ message: String) {
        all.append(ConfigurationError.Problem(path: path, line: line, message: message))
    }
}
