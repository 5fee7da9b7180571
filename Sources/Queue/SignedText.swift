import Crypto
import Synchronization

/// A text that Apple signed, as it is stored: its header apart.
///
/// A signed text is `header.payload.signature` (RFC 7515 section 7.1), and its header is the certificates of the key,
/// some 3.4 kB, the same for months. Each header is stored once for an app; a job has its name in the header's place.
struct SignedText {
    let stored: String
    /// The header and its name; nil if the text is kept whole.
    let chain: (name: String, header: String)?

    /// Below that a name saves nothing worth having.
    private static let shortestHeader = 256

    init(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].utf8.count >= Self.shortestHeader else {
            (stored, chain) = (text, nil)
            return
        }
        let name = Array(Digest.sha256(Array(parts[0].utf8)).prefix(12)).hex
        stored = "\(name).\(parts[1]).\(parts[2])"
        chain = (name, String(parts[0]))
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

/// The headers that an app is known to have in Redis; what Redis has forgotten `settle` asks for again.
final class KnownChains: Sendable {
    private let names = Mutex<Set<String>>([])
    /// Apple uses one or two at a time. A server that makes up new ones must not fill our memory.
    private static let most = 64

    func contains(_ name: String) -> Bool { names.withLock { $0.contains(name) } }

    func insert(_ added: some Sequence<String>) {
        names.withLock { names in
            if names.count > Self.most { names.removeAll() }
            names.formUnion(added)
        }
    }
}
