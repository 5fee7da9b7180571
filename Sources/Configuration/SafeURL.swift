private import Foundation

/// A URL over which secrets may go: `https`, or plain `http` that never leaves this machine.
struct SafeURL {
    static let expectation = "an https URL, or an http one to this machine (127.0.0.1, [::1], localhost)"

    private let parts: URLComponents

    init?(_ text: String) {
        guard text.unicodeScalars.allSatisfy({ (0x21...0x7E).contains($0.value) }),
            let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty, parts.user == nil,
            parts.password == nil, parts.fragment == nil
        else { return nil }
        switch parts.scheme {
        case "https": break
        case "http": guard Self.isLoopback(host) else { return nil }
        default: return nil
        }
        self.parts = parts
    }

    /// Whether it is only scheme, host and port.
    var isBare: Bool { parts.path.isEmpty && parts.query == nil }

    /// RFC 6761 section 6.3 for the name; a name that merely begins like an address is not one.
    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "[::1]" || host == "::1" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }
}
