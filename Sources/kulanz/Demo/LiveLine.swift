import Foundation

/// What the demo says while it runs, on standard error: lasting lines, and below them one that is rewritten.
///
/// On a pipe, or where a terminal can't move its cursor, the line comes plain every few seconds instead.
struct LiveLine {
    private let isTerminal: Bool
    private let isColoured: Bool
    private let started = ContinuousClock.now
    private var lastPlain = ContinuousClock.now
    private var isShown = false

    init() {
        let variables = ProcessInfo.processInfo.environment
        isTerminal = isatty(STDERR_FILENO) == 1 && variables["TERM"] != "dumb"
        isColoured = isTerminal && (variables["NO_COLOR"] ?? "").isEmpty
    }

    private var elapsed: String { (ContinuousClock.now - started).inSeconds }

    /// A line that stays.
    mutating func say(_ text: String) {
        clear()
        let stamp = Self.padded(elapsed, to: 7)
        let indent = stamp.count + 2
        let lines = text.wrapped(to: isTerminal ? max(40, Self.width - 1) : .max, indent: indent)
        let first = (isColoured ? "\u{1B}[2m\(stamp)\u{1B}[0m" : stamp) + "  " + (lines.first ?? "").dropFirst(indent)
        Output.complain(([first] + lines.dropFirst()).joined(separator: "\n") + "\n")
    }

    /// The latest numbers, most important first; what the window is too narrow for is left out.
    mutating func show(done: Int, of all: Int, _ parts: [String]) {
        guard isTerminal else {
            guard ContinuousClock.now - lastPlain >= .seconds(4) else { return }
            lastPlain = .now
            return Output.complain(
                Self.padded(elapsed, to: 7) + "  " + (["\(done) of \(all) settled"] + parts).joined(separator: ", ")
                    + "\n")
        }
        let width = Self.width
        var line = Self.padded(elapsed, to: 7) + "  " + Self.bar(done, of: all, width: width >= 70 ? 16 : 6)
        for part in ["\(done)/\(all)"] + parts where line.count + 2 + part.count < width { line += "  " + part }
        Output.complain("\r" + line.prefix(max(0, width - 1)) + "\u{1B}[K")
        isShown = true
    }

    mutating func clear() {
        guard isShown else { return }
        Output.complain("\r\u{1B}[K")
        isShown = false
    }

    private static func bar(_ done: Int, of all: Int, width: Int) -> String {
        let filled = all > 0 ? min(width, done * width / all) : 0
        return String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    }

    private static func padded(_ text: String, to width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    private static var width: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}

extension Duration {
    /// With one decimal: `4.2 s`.
    var inSeconds: String {
        let tenths = Int((self / .milliseconds(100)).rounded())
        return "\(tenths / 10).\(tenths % 10) s"
    }
}
