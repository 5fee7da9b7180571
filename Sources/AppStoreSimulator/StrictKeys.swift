/// A key of any name, to see what a scenario file really contains.
struct AnyKey: CodingKey {
    let stringValue: String
    let intValue: Int?
    init?(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
    init?(intValue: Int) { (self.stringValue, self.intValue) = (String(intValue), intValue) }
}

/// The keys of a scenario object; whatever else stands in it is refused, because a typo in a fault is a fault that
/// never happens.
protocol ScenarioKeys: CodingKey, CaseIterable, RawRepresentable<String> {}

extension Decoder {
    func strict<Key: ScenarioKeys>(_ keys: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let known = Key.allCases.map(\.rawValue)
        for key in try container(keyedBy: AnyKey.self).allKeys where !known.contains(key.stringValue) {
            throw ScenarioError(
                path: codingPath + [key], problem: "unknown key; known here: \(known.joined(separator: ", "))")
        }
        return try container(keyedBy: Key.self)
    }
}

extension KeyedDecodingContainer {
    /// The value of a key, or the default when the key is absent.
    func value<Value: Decodable>(_ key: Key, or fallback: Value) throws -> Value {
        try decodeIfPresent(Value.self, forKey: key) ?? fallback
    }

    func number(_ key: Key, or fallback: Int64, in range: ClosedRange<Int64>) throws -> Int64 {
        guard let number = try decodeIfPresent(Int64.self, forKey: key) else { return fallback }
        guard range.contains(number) else {
            throw ScenarioError(
                path: codingPath + [key], problem: "must lie between \(range.lowerBound) and \(range.upperBound)")
        }
        return number
    }

    /// One of a fixed set of words; the error lists them.
    func word<Word: RawRepresentable<String> & CaseIterable>(_ key: Key, or fallback: Word) throws -> Word {
        guard let text = try decodeIfPresent(String.self, forKey: key) else { return fallback }
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw ScenarioError(path: codingPath + [key], problem: "\"\(text)\" is none of: \(words)")
        }
        return word
    }
}
