import Foundation

/// A certificate authority of one test, made by the `openssl` command in the test's folder.
package struct TestAuthority: Sendable {
    package struct Certificate: Sendable {
        package let file: String
        package let keyFile: String
    }

    /// Its own certificate: what whoever trusts it names.
    package let caFile: String
    private let folder: TemporaryFolder
    private let name: String

    package init(_ name: String = "authority", in folder: TemporaryFolder) async throws {
        self.name = name
        self.folder = folder
        caFile = folder[name + ".pem"]
        try await Self.openssl(
            ["req", "-x509"] + Self.newKey + [
                "-keyout", folder[name + ".key"], "-out", caFile, "-subj", "/CN=Test \(name)", "-days", "2",
            ])
    }

    private static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]

    /// - Parameters:
    ///   - names: as openssl writes them, such as `DNS:localhost,IP:127.0.0.1`; without any if empty.
    ///   - validity: first and last moment, `YYYYMMDDhhmmssZ`.
    package func issue(
        _ file: String, for names: String = "DNS:localhost,IP:127.0.0.1",
        validity: (from: String, until: String) = ("20200101000000Z", "20991231000000Z")
    ) async throws -> Certificate {
        let certificate = Certificate(file: folder[file + ".pem"], keyFile: folder[file + ".key"])
        try await Self.openssl(
            ["req"] + Self.newKey + [
                "-keyout", certificate.keyFile, "-out", folder[file + ".csr"], "-subj", "/CN=localhost",
            ])
        let books = folder["\(name)-\(file)"]
        try """
        [ca]
        default_ca = ours
        [ours]
        database = \(books).txt
        rand_serial = yes
        default_md = sha256
        policy = any
        unique_subject = no
        x509_extensions = extensions
        [any]
        commonName = supplied
        [extensions]
        \(names.isEmpty ? "" : "subjectAltName = \(names)")
        """.write(toFile: books + ".cnf", atomically: true, encoding: .utf8)
        try "".write(toFile: books + ".txt", atomically: true, encoding: .utf8)
        try await Self.openssl([
            "ca", "-batch", "-notext", "-config", books + ".cnf", "-startdate", validity.from, "-enddate",
            validity.until, "-in", folder[file + ".csr"], "-cert", caFile, "-keyfile", folder[name + ".key"], "-out",
            certificate.file, "-outdir", folder.path,
        ])
        return certificate
    }

    private static func openssl(_ words: [String]) async throws {
        let outcome = try await ShortCommand.run("openssl", words)
        guard outcome.status == 0 else { throw OpenSSLCommandFailed(words: words, errors: outcome.errors) }
    }
}

private struct OpenSSLCommandFailed: Error {
    let words: [String]
    let errors: String
}
