import Crypto
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
        // By bytes: a signed text is ASCII, and Swift's characters would take longer than all the rest of a settlement.
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count >= Self.shortestHeader else {
            (stored, header) = (text, nil)
            return
        }
        let known = headers.look(at: String(Substring(parts[0])))
        stored = known.name + text[parts[0].endIndex...]
        header = known
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

    private let headers = Mutex<[String: Header]>([:])
    /// Apple uses one or two at a time. A server that makes up new ones must not fill our memory.
    private static let most = 64

    func look(at text: String) -> Header {
        if let known = headers.withLock({ $0[text] }) { return known }
        let name = Array(Digest.sha256(Array(text.utf8)).prefix(12)).hex
        return Header(text: text, name: name, isStored: false)
    }

    func stored(_ header: Header) {
        guard !header.isStored else { return }
        headers.withLock { headers in
            if headers.count >= Self.most { headers.removeAll() }
            headers[header.text] = Header(text: header.text, name: header.name, isStored: true)
        }
    }
}
