import Crypto
import Foundation
import TestSupport
import Testing

/// A signed payload read by Foundation and checked by the `openssl` command, not by our own verifier.
struct SignedPayload {
    let header: [String: Any]
    let payload: [String: Any]
    private let input: String
    private let signature: [UInt8]

    init(_ compact: String) throws {
        let parts = compact.split(separator: ".").map(String.init)
        try #require(parts.count == 3)
        func object(_ part: String) throws -> [String: Any] {
            let bytes = try #require(Base64URL.decode(part))
            return try #require(JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        }
        header = try object(parts[0])
        payload = try object(parts[1])
        input = parts[0] + "." + parts[1]
        signature = try #require(Base64URL.decode(parts[2]))
    }

    /// Builds leaf, intermediate and the given root into a chain, and checks the signature with the leaf's key.
    func verify(against rootPEM: String, in folder: String) async throws {
        let x5c = try #require(header["x5c"] as? [String])
        try #require(x5c.count == 3)
        for (name, certificate) in zip(["leaf", "intermediate"], x5c) {
            let pem = "-----BEGIN CERTIFICATE-----\n\(Self.wrapped(certificate))\n-----END CERTIFICATE-----\n"
            try pem.write(toFile: folder + "/\(name).pem", atomically: true, encoding: .utf8)
        }
        try rootPEM.write(toFile: folder + "/root.pem", atomically: true, encoding: .utf8)
        try await Self.openssl("verify -x509_strict -CAfile root.pem -untrusted intermediate.pem leaf.pem", in: folder)

        try input.write(toFile: folder + "/input", atomically: true, encoding: .utf8)
        try Data(Self.der(of: signature)).write(to: URL(filePath: folder + "/signature"))
        try await Self.openssl("x509 -in leaf.pem -noout -pubkey -out leaf.pub", in: folder)
        try await Self.openssl("dgst -sha256 -verify leaf.pub -signature signature input", in: folder)

        let leaf = try await Self.openssl("x509 -in leaf.pem -noout -text", in: folder)
        #expect(leaf.contains("1.2.840.113635.100.6.11.1"))
        let intermediate = try await Self.openssl("x509 -in intermediate.pem -noout -text", in: folder)
        #expect(intermediate.contains("1.2.840.113635.100.6.2.1"))
    }

    private static func wrapped(_ base64: String) -> String {
        var lines: [Substring] = []
        var rest = base64[...]
        while !rest.isEmpty {
            lines.append(rest.prefix(64))
            rest = rest.dropFirst(64)
        }
        return lines.joined(separator: "\n")
    }

    /// r‖s as the ASN.1 that openssl reads.
    private static func der(of raw: [UInt8]) -> [UInt8] {
        func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
            var digits = Array(bytes.drop { $0 == 0 })
            if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
            return [0x02, UInt8(digits.count)] + digits
        }
        let body = integer(raw[0..<32]) + integer(raw[32..<64])
        return [0x30, UInt8(body.count)] + body
    }

    @discardableResult
    private static func openssl(_ words: String, in folder: String) async throws -> String {
        let outcome = try await ShortCommand.run("openssl", words.split(separator: " ").map(String.init), in: folder)
        let text = outcome.output + outcome.errors
        try #require(outcome.status == 0, "openssl \(words): \(text)")
        return text
    }
}
