/// The textual envelope of keys and certificates (RFC 7468).
enum PEM {
    /// What stands between a BEGIN and its END.
    struct Block {
        let label: String
        /// Nil when the text inside isn't base64.
        let der: [UInt8]?
        /// Whether the lines begin with headers, as OpenSSL's old encrypted keys do.
        let hasHeaders: Bool
    }

    enum Failure: Error {
        case noBlock
        case noEnd(label: String)
    }

    static func encode(_ label: String, _ der: [UInt8]) -> String {
        let text = Array(Base64.encode(der).utf8)
        let lines = stride(from: 0, to: text.count, by: 64).map { start in
            String(decoding: text[start..<min(start + 64, text.count)], as: UTF8.self)
        }
        return (["-----BEGIN \(label)-----"] + lines + ["-----END \(label)-----", ""]).joined(separator: "\n")
    }

    /// Every block of a text, in order; whatever stands around them is ignored, as RFC 7468 section 2 allows.
    static func blocks(in text: String) throws(Failure) -> [Block] {
        var blocks: [Block] = []
        var open: (label: String, lines: [Substring])?
        for line in text.split(whereSeparator: \.isNewline).map({ $0.trimmingSpaces }) {
            if let label = line.label(after: "-----BEGIN ") {
                if let open { throw .noEnd(label: open.label) }
                open = (label, [])
            } else if let current = open, line.label(after: "-----END ") == current.label {
                let hasHeaders = current.lines.contains { $0.contains(":") }
                let der = Base64.decode(current.lines.joined())
                blocks.append(Block(label: current.label, der: der, hasHeaders: hasHeaders))
                open = nil
            } else {
                open?.lines.append(line)
            }
        }
        if let open { throw .noEnd(label: open.label) }
        guard !blocks.isEmpty else { throw .noBlock }
        return blocks
    }
}

extension Substring {
    fileprivate var trimmingSpaces: Substring {
        let start = drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return start.prefix(0) }
        return start[...end]
    }

    fileprivate func label(after opening: String) -> String? {
        guard hasPrefix(opening), hasSuffix("-----"), count > opening.count + 5 else { return nil }
        let label = dropFirst(opening.count).dropLast(5)
        // A whole key squeezed onto one line begins and ends like a BEGIN line.
        return label.contains("--") ? nil : String(label)
    }
}
