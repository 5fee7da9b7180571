/// A pattern in which `*` stands for any text; everything else stands for itself.
struct Glob: Sendable, Hashable {
    private let parts: [String]

    init(_ pattern: String) {
        parts = pattern.split(separator: "*", omittingEmptySubsequences: false).map(String.init)
    }

    func matches(_ text: String) -> Bool {
        guard let head = parts.first, let tail = parts.last else { return text.isEmpty }
        guard parts.count > 1 else { return text == head }
        guard text.hasPrefix(head), text.utf8.count >= head.utf8.count + tail.utf8.count, text.hasSuffix(tail) else {
            return false
        }
        var rest = text.dropFirst(head.count).dropLast(tail.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }
}
