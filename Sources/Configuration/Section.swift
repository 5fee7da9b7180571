private import Arguments

/// One object of the file while it is read: gives out its values by key, and at the end finds the keys that nobody
/// asked for.
///
/// A value of the wrong kind is noted as a problem and given out as nil, so that one pass finds them all.
final class Section {
    let path: String
    let line: Int
    let problems: Problems
    let surroundings: Surroundings
    private let members: [String: JSON5]
    private let order: [String]
    private var asked: Set<String> = []

    private init(path: String, line: Int, members: [JSON5.Member], problems: Problems, surroundings: Surroundings) {
        self.path = path
        self.line = line
        self.members = Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first }
        self.order = members.map(\.key)
        self.problems = problems
        self.surroundings = surroundings
    }

    /// The file's outermost object.
    static func root(_ node: JSON5, _ problems: Problems, _ surroundings: Surroundings) -> Section? {
        guard case .object(let members) = node.value else {
            problems.add("", line: node.line, "an object { … } is expected, not \(node.kind)")
            return nil
        }
        return Section(path: "", line: node.line, members: members, problems: problems, surroundings: surroundings)
    }

    /// In the order of the file.
    var keys: [String] { order }

    func path(of key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    func refuse(_ key: String, _ message: String) {
        problems.add(path(of: key), line: members[key]?.line ?? line, message)
    }

    // MARK: Values

    /// The value, with null taken for absent.
    func node(_ key: String) -> JSON5? {
        asked.insert(key)
        guard let node = members[key], node.value != .null else { return nil }
        return node
    }

    func section(_ key: String) -> Section? {
        guard let node = node(key) else { return nil }
        guard case .object(let members) = node.value else {
            refuse(key, "expects an object { … }, not \(node.kind)")
            return nil
        }
        return Section(
            path: path(of: key), line: node.line, members: members, problems: problems, surroundings: surroundings)
    }

    /// A section whose absence means all its defaults.
    func optionalSection(_ key: String) -> Section {
        section(key)
            ?? Section(path: path(of: key), line: line, members: [], problems: problems, surroundings: surroundings)
    }

    func number(_ key: String, default standard: Double, in range: ClosedRange<Double>, _ unit: String) -> Double {
        guard let node = node(key) else { return standard }
        guard case .number(let number) = node.value else {
            refuse(key, "expects a number of \(unit), not \(node.kind)")
            return standard
        }
        guard range.contains(number) else {
            refuse(key, "expects \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound)) \(unit)")
            return standard
        }
        return number
    }

    func whole(_ key: String, default standard: Int, in range: ClosedRange<Int>, _ unit: String) -> Int {
        let bounds = Double(range.lowerBound)...Double(range.upperBound)
        let value = number(key, default: Double(standard), in: bounds, unit)
        guard value == value.rounded() else {
            refuse(key, "expects a whole number of \(unit)")
            return standard
        }
        return Int(value)
    }

    static func text(_ number: Double) -> String {
        number == number.rounded() ? String(Int64(number)) : String(number)
    }

    /// A text, or what `env:NAME` or `file:PATH` stands for; the line break at a file's end doesn't count.
    func string(_ key: String, expecting what: String = "a text") -> String? {
        guard let written = written(key, expecting: what) else { return nil }
        guard let bytes = resolved(key, written) else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            refuse(key, "\(written) holds bytes that are no UTF-8 text")
            return nil
        }
        guard Self.reference(written) != nil else { return text }
        var trimmed = text[...]
        while let last = trimmed.last, last.isNewline { trimmed.removeLast() }
        guard !trimmed.isEmpty else {
            refuse(key, "\(written) is empty; it should hold \(what)")
            return nil
        }
        return String(trimmed)
    }

    func required(_ key: String, expecting what: String) -> String? {
        guard node(key) != nil else {
            refuse(key, "is missing; it should be \(what)")
            return nil
        }
        guard let text = string(key, expecting: what) else { return nil }
        guard !text.isEmpty else {
            refuse(key, "is empty; it should be \(what)")
            return nil
        }
        return text
    }

    /// The bytes that a text, `env:NAME` or `file:PATH` stands for.
    func bytes(_ key: String, expecting what: String) -> [UInt8]? {
        written(key, expecting: what).flatMap { resolved(key, $0) }
    }

    /// The text as the file has it.
    func written(_ key: String, expecting what: String) -> String? {
        guard let node = node(key) else { return nil }
        guard case .string(let text) = node.value else {
            refuse(key, "expects \(what), not \(node.kind)")
            return nil
        }
        return text
    }

    /// The path of a file with certificates or, if asked, a key; that it can be read and is PEM is seen to.
    func pemFile(_ key: String, holding label: String = "CERTIFICATE") -> String? {
        guard let name = string(key, expecting: "the path of a PEM file") else { return nil }
        guard !name.contains(where: \.isNewline) else {
            refuse(key, "expects the path of a PEM file, without file: before it")
            return nil
        }
        let path = surroundings.path(name)
        guard let bytes = surroundings.bytes(of: name) else {
            refuse(key, "there is no readable file \(path)")
            return nil
        }
        // Keys name their kind in front: EC PRIVATE KEY.
        guard String(decoding: bytes, as: UTF8.self).contains("\(label)-----") else {
            refuse(key, "\(path) holds no PEM \(label.lowercased())")
            return nil
        }
        return path
    }

    private static func reference(_ text: String) -> (isFile: Bool, name: String)? {
        if text.hasPrefix("env:") { return (false, String(text.dropFirst(4))) }
        if text.hasPrefix("file:") { return (true, String(text.dropFirst(5))) }
        return nil
    }

    private func resolved(_ key: String, _ written: String) -> [UInt8]? {
        guard let reference = Self.reference(written) else { return Array(written.utf8) }
        if reference.isFile {
            guard let bytes = surroundings.bytes(of: reference.name) else {
                refuse(key, "there is no readable file \(surroundings.path(reference.name))")
                return nil
            }
            return bytes
        }
        guard let value = surroundings.variables[reference.name] else {
            refuse(key, "the environment has no variable \(reference.name)")
            return nil
        }
        return Array(value.utf8)
    }

    // MARK: What is left

    /// Notes every key that was not asked for.
    /// - Parameter later: keys of the documented configuration whose feature doesn't exist yet, and what it is.
    func finish(later: KeyValuePairs<String, String> = [:]) {
        for key in order where !asked.contains(key) {
            if let feature = later.first(where: { $0.key == key })?.value {
                refuse(key, "\(feature) doesn't exist yet in this version; leave the key out")
            } else if let near = closest(to: key, in: asked.sorted()) {
                refuse(key, "there is no such key; did you mean \(near)?")
            } else {
                refuse(key, "there is no such key; here can stand: \(asked.sorted().joined(separator: ", "))")
            }
        }
    }
}
