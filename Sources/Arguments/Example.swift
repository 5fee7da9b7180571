/// A line to copy, and what it does.
package struct Example: Sendable, Hashable {
    /// The words after the program's name.
    package let line: String
    package let effect: String

    package init(_ line: String, _ effect: String) {
        self.line = line
        self.effect = effect
    }
}
