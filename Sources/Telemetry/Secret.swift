/// A value that must not be shown: a key, a token, a password.
///
/// Whatever prints it, interpolates it, dumps it or reflects on it gets `<redacted>`. Only `reveal()` gives the
/// value, so that a search for that word finds every place where a secret is used.
package struct Secret<Value: Sendable>: Sendable {
    private let value: Value

    package init(_ value: Value) { self.value = value }

    package func reveal() -> Value { value }
}

extension Secret: Equatable where Value: Equatable {}
extension Secret: Hashable where Value: Hashable {}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }
    package var debugDescription: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
