/// One word, or pair of words, that a command accepts.
///
/// The list of a command's arguments is its whole grammar: parsing and help both read it, so that neither can drift
/// from the other. Whether a value may be missing or may repeat follows from the type that the key path leads to:
/// `Value` has a default, `Value?` may be absent, `[Value]` collects.
package struct Argument<Target>: Sendable {
    let shape: ArgumentShape
    package let name: String
    let placeholder: String
    let help: String
    let allowedWords: [String]
    var repeats = false
    var isRequired = false
    var section: String?
    /// Nil is the bare form of an optional value, and of a flag.
    let assign: @Sendable (inout Target, String?) throws(UsageError) -> Void
    let defaultWord: @Sendable (Target) -> String?

    package typealias Path<Value> = any WritableKeyPath<Target, Value> & Sendable
}

extension Argument {
    /// A switch that is off unless it is named.
    package static func flag(_ name: String, _ path: Path<Bool>, _ help: String) -> Self {
        Self(
            shape: .flag, name: name, placeholder: "", help: help, allowedWords: [],
            assign: { (target, _) throws(UsageError) in target[keyPath: path] = true },
            defaultWord: { _ in nil })
    }

    /// A named value that keeps its default when it isn't given.
    package static func option<Value: ArgumentValue>(
        _ name: String, _ placeholder: String, _ path: Path<Value>, _ help: String
    ) -> Self {
        Self(
            shape: .option, name: name, placeholder: placeholder, help: help, allowedWords: Value.allowedWords,
            assign: { (target, word) throws(UsageError) in target[keyPath: path] = try read(word, for: name) },
            defaultWord: { $0[keyPath: path].argument })
    }

    /// A named value that may be absent.
    package static func option<Value: ArgumentValue>(
        _ name: String, _ placeholder: String, _ path: Path<Value?>, _ help: String
    ) -> Self {
        Self(
            shape: .option, name: name, placeholder: placeholder, help: help, allowedWords: Value.allowedWords,
            assign: { (target, word) throws(UsageError) in target[keyPath: path] = try read(word, for: name) as Value },
            defaultWord: { $0[keyPath: path]?.argument })
    }

    /// A named value that may be given several times.
    package static func option<Value: ArgumentValue>(
        _ name: String, _ placeholder: String, _ path: Path<[Value]>, _ help: String
    ) -> Self {
        Self(
            shape: .option, name: name, placeholder: placeholder, help: help, allowedWords: Value.allowedWords,
            repeats: true,
            assign: { (target, word) throws(UsageError) in target[keyPath: path].append(try read(word, for: name)) },
            defaultWord: { _ in nil })
    }

    /// A named value whose value may be left out: `--wait` alone means `bare`.
    package static func option<Value: ArgumentValue>(
        _ name: String, _ placeholder: String, _ path: Path<Value?>, bare: Value, _ help: String
    ) -> Self {
        Self(
            shape: .optionWithOptionalValue, name: name, placeholder: placeholder, help: help,
            allowedWords: Value.allowedWords,
            assign: { (target, word) throws(UsageError) in
                target[keyPath: path] = if let word { try read(word, for: name) as Value } else { bare }
            },
            defaultWord: { _ in nil })
    }

    /// A value without a name.
    package static func positional<Value: ArgumentValue>(_ name: String, _ path: Path<Value?>, _ help: String) -> Self {
        Self(
            shape: .positional, name: name, placeholder: name, help: help, allowedWords: Value.allowedWords,
            assign: { (target, word) throws(UsageError) in target[keyPath: path] = try read(word, for: name) as Value },
            defaultWord: { _ in nil })
    }

    /// Values without a name: every remaining word lands here.
    package static func positional<Value: ArgumentValue>(_ name: String, _ path: Path<[Value]>, _ help: String) -> Self
    {
        Self(
            shape: .positional, name: name, placeholder: name, help: help, allowedWords: Value.allowedWords,
            repeats: true,
            assign: { (target, word) throws(UsageError) in target[keyPath: path].append(try read(word, for: name)) },
            defaultWord: { _ in nil })
    }

    private static func read<Value: ArgumentValue>(_ word: String?, for name: String) throws(UsageError) -> Value {
        guard let word else { throw .missingValue(option: name) }
        if let value = Value(argument: word) { return value }
        throw .unreadable(
            word, argument: name, expectation: Value.expectation, suggestion: closest(to: word, in: Value.allowedWords))
    }
}

extension Argument {
    /// The same argument, without which the command is refused.
    package var required: Self {
        var copy = self
        copy.isRequired = true
        return copy
    }

    /// The same argument of a command that keeps this target in one of its properties.
    package func within<Outer>(_ path: any WritableKeyPath<Outer, Target> & Sendable) -> Argument<Outer> {
        Argument<Outer>(
            shape: shape, name: name, placeholder: placeholder, help: help, allowedWords: allowedWords,
            repeats: repeats, isRequired: isRequired, section: section,
            assign: { [assign] (outer, word) throws(UsageError) in try assign(&outer[keyPath: path], word) },
            defaultWord: { [defaultWord] in defaultWord($0[keyPath: path]) })
    }
}

extension Array {
    /// The same arguments under a heading of their own in help.
    package func titled<Target>(_ title: String) -> Self where Element == Argument<Target> {
        map { argument in
            var copy = argument
            copy.section = title
            return copy
        }
    }

    /// The same arguments for a command that keeps their target in one of its properties.
    package func within<Outer, Target>(
        _ path: any WritableKeyPath<Outer, Target> & Sendable
    ) -> [Argument<Outer>] where Element == Argument<Target> {
        map { $0.within(path) }
    }
}
