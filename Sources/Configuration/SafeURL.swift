private import Foundation

/// A URL over which secrets may go: `https`, or plain `http` that never leaves this machine.
enum SafeURL {
    static let expectation = "an https URL, or an http one to this machine (127.0.0.1, [::1], localhost)"

    static func isOne(_ text: String) -> Bool {
        guard text.unicodeScalars.allSatisfy({ (0x21...0x7E).contains($0.value) }),
            let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty, parts.user == nil,
            parts.password == nil, parts.fragment == nil
        else { return false }
        switch parts.scheme {
        case "https": return true
        case "http": return isLoopback(host)
        default: return false
        }
    }

    /// RFC 6761 section 6.3 for the name; a name that merely begins like an address is not one.
    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "[::1]" || host == "::1" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }
}
