/// A line to copy, and what it does.
package struct Example: Sendable, Hashable {
    /// The words after the program's name; a long one breaks its lines itself, as a shell does.
    package let line: String
    package let effect: String

    package init(_ line: String, _ effect: String) {
        self.line = line
        self.effect = effect
    }
}
