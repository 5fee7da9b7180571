import Crypto

/// A `requestReferenceId`: a UUID, always in lower case, since Apple doesn't say whether the case matters.
package struct ReferenceId: Sendable, Hashable, CustomStringConvertible {
    package let text: String

    /// Nil unless `text` is a UUID as RFC 9562, section 4, writes it; letters may come in either case.
    package init?(_ text: String) {
        guard Self.isUUID(text) else { return nil }
        self.text = text.lowercased()
    }

    package var description: String { text }

    static func isUUID(_ text: String) -> Bool {
        guard text.utf8.count == 36 else { return false }
        for (index, byte) in text.utf8.enumerated() {
            switch index {
            case 8, 13, 18, 23: guard byte == UInt8(ascii: "-") else { return false }
            default: guard ASCII.isHex(byte) else { return false }
            }
        }
        return true
    }

    // MARK: Derived ids

    /// The id of one round of one job. Whoever forgets the job makes the same id again: nothing is drawn.
    ///
    /// UUID version 5 (RFC 9562, section 5.5) over the five parts joined by line feeds, in a namespace of our own.
    /// `round` rises only when a new id is lawful, that is, when none of the job's ids is open.
    package static func derived(
        app: String, environment: Environment, jobId: String, contentDigest: String, round: Int
    ) -> ReferenceId {
        let name = [app, environment.rawValue, jobId, contentDigest, String(round)].joined(separator: "\n")
        var digest = Digest.sha1(namespace + Array(name.utf8))
        digest[6] = digest[6] & 0x0F | 0x50
        digest[8] = digest[8] & 0x3F | 0x80
        return ReferenceId(uuid: digest)
    }

    /// dd8770f7-03d7-4f52-a279-d99e7691582d, drawn once. It must never change: every derived id hangs on it.
    private static let namespace: [UInt8] = [
        0xDD, 0x87, 0x70, 0xF7, 0x03, 0xD7, 0x4F, 0x52, 0xA2, 0x79, 0xD9, 0x9E, 0x76, 0x91, 0x58, 0x2D,
    ]

    private init(uuid bytes: [UInt8]) {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for (index, byte) in bytes.prefix(16).enumerated() {
            if index == 4 || index == 6 || index == 8 || index == 10 { text.append(UInt8(ascii: "-")) }
            text.append(Self.hexDigit(byte >> 4))
            text.append(Self.hexDigit(byte & 15))
        }
        self.text = String(decoding: text, as: UTF8.self)
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }
}

extension ReferenceId {
    /// The id inside a body that was stored.
    package init?(body: [UInt8]) {
        guard let json = try? JSON(reading: body), let text = json["requestInfo"]?["requestReferenceId"]?.string else {
            return nil
        }
        self.init(text)
    }
}
