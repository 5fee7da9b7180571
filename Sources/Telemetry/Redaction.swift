/// The text without what looks like a secret of this system: signed tokens, private keys, passwords in URLs,
/// `appAccountToken`.
///
/// A safety net for texts that others made (an error of libcurl, a line of Redis); our own code keeps secrets in
/// `Secret` and never gets here with one.
package func redacting(_ text: String) -> String {
    var bytes = Array(text.utf8)
    // One cheap look each: nearly no text has any of these marks.
    if bytes.holds("eyJ") { bytes = withoutTokens(bytes) }
    if bytes.holds("PRIVATE KEY-----") { bytes = replacing(bytes, from: "-----BEGIN ", through: "PRIVATE KEY-----") }
    if bytes.holds("://") { bytes = withoutPasswords(bytes) }
    if bytes.holds("appAccountToken") { bytes = withoutAccountTokens(bytes) }
    // Every cut lies at an ASCII byte, so what was UTF-8 still is.
    return String(decoding: bytes, as: UTF8.self)
}

private let mark = Array("<redacted>".utf8)

/// Compact JWS and JWT: a segment that starts with `{"` in base64url, and two more.
private func withoutTokens(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
        guard bytes[index...].starts(with: "eyJ".utf8) else {
            result.append(bytes[index])
            index += 1
            continue
        }
        let end = bytes[index...].firstIndex { !isBase64URL($0) && $0 != UInt8(ascii: ".") } ?? bytes.count
        let word = bytes[index..<end]
        result += word.count(where: { $0 == UInt8(ascii: ".") }) >= 2 ? mark : Array(word)
        index = end
    }
    return result
}

/// `scheme://user:password@host`: the password goes, the rest is what a reader needs.
private func withoutPasswords(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
        guard bytes[index...].starts(with: "://".utf8) else {
            result.append(bytes[index])
            index += 1
            continue
        }
        result += "://".utf8
        index += 3
        let end = bytes[index...].firstIndex { $0 <= UInt8(ascii: " ") || $0 == UInt8(ascii: "/") } ?? bytes.count
        let authority = bytes[index..<end]
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { continue }
        let user = authority[..<(authority[..<at].firstIndex(of: UInt8(ascii: ":")) ?? at)]
        result += user.count == at - index ? Array(user) : Array(user) + ":".utf8 + mark
        index = at
    }
    return result
}

private func withoutAccountTokens(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
        guard bytes[index...].starts(with: "appAccountToken".utf8) else {
            result.append(bytes[index])
            index += 1
            continue
        }
        let value = bytes[(index + "appAccountToken".utf8.count)...].firstIndex { isBase64URL($0) } ?? bytes.count
        result += bytes[index..<value]
        index = bytes[value...].firstIndex { !isBase64URL($0) } ?? bytes.count
        if index > value { result += mark }
    }
    return result
}

/// Drops everything from the first `start` to the last `end`.
private func replacing(_ bytes: [UInt8], from start: String, through end: String) -> [UInt8] {
    let first = bytes.indices.first { bytes[$0...].starts(with: start.utf8) } ?? 0
    let last = bytes.indices.last { bytes[$0...].starts(with: end.utf8) } ?? bytes.count
    return bytes[..<first] + mark + bytes[min(bytes.count, last + end.utf8.count)...]
}

private func isBase64URL(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
    default: false
    }
}

extension [UInt8] {
    fileprivate func holds(_ text: String) -> Bool {
        let wanted = Array(text.utf8)
        guard count >= wanted.count else { return false }
        return indices.dropLast(wanted.count - 1).contains { self[$0] == wanted[0] && self[$0...].starts(with: wanted) }
    }
}
