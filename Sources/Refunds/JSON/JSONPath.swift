/// Paths as people write them: `request.items[0].refundAmount`.
package enum JSONPath {
    package enum Step: Sendable, Hashable {
        case key(String)
        case index(Int)
    }

    /// `inner` seen from the value that holds it at `step`.
    static func join(_ step: Step, _ inner: String) -> String {
        let outer = text(of: step)
        if inner.isEmpty || inner.hasPrefix("[") { return outer + inner }
        return outer + "." + inner
    }

    /// `path` and one step further in.
    static func append(_ path: String, _ step: Step) -> String {
        let text = text(of: step)
        if path.isEmpty || text.hasPrefix("[") { return path + text }
        return path + "." + text
    }

    /// Reads `request.items.0.refundAmount` as well as `request.items[0].refundAmount`; nil when a step is empty.
    static func steps(of path: String) -> [Step]? {
        let dotted = path.replacing("[", with: ".").replacing("]", with: "")
        var steps: [Step] = []
        for part in dotted.split(separator: ".", omittingEmptySubsequences: false) {
            guard !part.isEmpty else { return nil }
            if part.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
                guard let index = Int(part) else { return nil }
                steps.append(.index(index))
            } else {
                steps.append(.key(String(part)))
            }
        }
        return steps
    }

    /// A key that isn't a plain word is quoted and, since it comes from outside, cut short.
    private static func text(of step: Step) -> String {
        switch step {
        case .index(let index): return "[\(index)]"
        case .key(let key):
            let isPlain =
                !key.isEmpty && key.utf8.count <= 64
                && key.utf8.allSatisfy { isWord($0) }
            return isPlain ? key : "[\(quoted(key))]"
        }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D: true
        default: false
        }
    }

    /// Text from outside, fit for one line of a message: quoted, escaped, at most 64 characters.
    static func quoted(_ text: String) -> String {
        let cut = text.unicodeScalars.count > 64
        let short = cut ? String(String.UnicodeScalarView(text.unicodeScalars.prefix(64))) + "…" : text
        return JSON.string(short).canonicalText
    }
}
