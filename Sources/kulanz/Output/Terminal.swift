import Arguments
import Foundation

/// What stands at the other end of our three descriptors.
enum Terminal {
    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Columns of the window that standard output goes to; nil for a file or a pipe, where a line may be of any length.
    static var width: Int? {
        guard isTerminal(STDOUT_FILENO) else { return nil }
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        return variable("COLUMNS").flatMap(Int.init) ?? 80
    }

    /// Rows of the window that standard output goes to.
    static var height: Int {
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 { return Int(size.ws_row) }
        return variable("LINES").flatMap(Int.init) ?? 24
    }

    /// Whether what was written can be written over; moving the cursor is no colour, so `NO_COLOR` doesn't forbid it.
    static var canRedraw: Bool { isTerminal(STDOUT_FILENO) && variable("TERM") != "dumb" }

    /// https://no-color.org
    static var isColoured: Bool {
        isTerminal(STDOUT_FILENO) && variable("NO_COLOR") == nil && variable("TERM") != "dumb"
    }

    static var helpStyle: HelpStyle { HelpStyle(width: width ?? 80, isColoured: isColoured) }

    /// Whether a person sits there to be asked.
    static var canAsk: Bool { isTerminal(STDIN_FILENO) }

    /// Asks a person on standard error; nil where there is none, or none that answers.
    static func ask(_ question: String) -> String? {
        guard canAsk else { return nil }
        Output.complain(question)
        return readLine()
    }

    private static func variable(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}
