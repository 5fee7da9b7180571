import Crypto
import Foundation
import Synchronization

/// A text that Apple signed, as it is stored: its header apart.
///
/// A signed text is `header.payload.signature` (RFC 7515 section 7.1), and its header is the certificates of the key,
/// some 3.4 kB, the same for months. Each header is stored once for an app; a job has its name in the header's place.
struct SignedText {
    let stored: String
    /// Nil if the text is kept whole.
    let header: KnownHeaders.Header?

    /// Below that a name saves nothing worth having.
    private static let shortestHeader = 256

    init(_ text: String, by headers: KnownHeaders) {
        guard let end = Self.endOfHeader(in: text), end >= Self.shortestHeader else {
            (stored, header) = (text, nil)
            return
        }
        let dot = text.utf8.index(text.startIndex, offsetBy: end)
        let known = headers.look(at: text[..<dot])
        stored = known.name + text[dot...]
        header = known
    }

    /// How many bytes stand before the first of exactly two dots; nil if there are more or fewer.
    private static func endOfHeader(in text: String) -> Int? {
        var text = text
        // By `memchr`: a signed text has five thousand bytes, and a loop over them costs more than the whole settlement.
        return text.withUTF8 { text in
            guard let first = dot(in: text, from: 0), let second = dot(in: text, from: first + 1),
                dot(in: text, from: second + 1) == nil
            else { return nil }
            return first
        }
    }

    private static func dot(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        guard let base = text.baseAddress, let dot = memchr(base + start, Int32(UInt8(ascii: ".")), text.count - start)
        else { return nil }
        return UnsafeRawPointer(dot) - UnsafeRawPointer(base)
    }

    /// The text again, of which this was stored.
    static func whole(_ stored: String, header: (String) async throws(QueueError) -> String?) async throws(QueueError)
        -> String
    {
        guard let dot = stored.firstIndex(of: "."), let header = try await header(String(stored[..<dot])) else {
            return stored
        }
        return header + stored[dot...]
    }
}

/// The headers that an app's settlements have named, and whether Redis has them; what it has forgotten, `settle` asks for.
final class KnownHeaders: Sendable {
    struct Header: Sendable {
        let text: String
        /// The first 12 bytes of its SHA-256, in hex.
        let name: String
        var isStored: Bool
    }

    private let headers = Mutex<[Header]>([])
    /// Apple uses one or two at a time. A server that makes up new ones must not fill our memory.
    private static let most = 64

    func look(at text: Substring) -> Header {
        // One by one, since to compare two long texts takes much less than to hash one.
        if let known = headers.withLock({ $0.first { $0.text == text } }) { return known }
        let name = Array(Digest.sha256(Array(text.utf8)).prefix(12)).hex
        return Header(text: String(text), name: name, isStored: false)
    }

    func stored(_ header: Header) {
        guard !header.isStored else { return }
        headers.withLock { headers in
            if headers.count >= Self.most { headers.removeAll() }
            headers.removeAll { $0.name == header.name }
            headers.append(Header(text: header.text, name: header.name, isStored: true))
        }
    }
}
