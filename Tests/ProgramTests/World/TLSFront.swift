import EventLoop
import Foundation
import Lifecycle
import TestSupport

/// nghttpx in front of the simulator: HTTP/2 over TLS, as Apple speaks it, with a certificate of an authority that only
/// `caFile` knows.
struct TLSFront {
    static let isInstalled = HTTP2Front.program != nil

    let relay: Relay
    let caFile: String
    private let folder: TemporaryFolder

    var baseURL: String { "https://localhost:\(relay.port)" }

    /// The protocols of the requests that came, such as `HTTP/2`.
    var protocols: Set<Substring> {
        let log = (try? String(contentsOfFile: folder["access.log"], encoding: .utf8)) ?? ""
        return Set(log.split(separator: "\n"))
    }

    /// - Parameter delay: how long each new connection waits before its handshake may begin.
    static func start(_ world: ProgramWorld, delay: Duration) async throws -> TLSFront {
        let folder = world.folder
        try await makeCertificates(folder)
        let command = Mortal(
            HTTP2Front.program ?? "nghttpx",
            [
                "--conf=/dev/null", "--single-process", "--workers=1", "--no-ocsp", "--errorlog-file=/dev/null",
                "--frontend=unix:\(folder["tls.sock"])", "--backend=127.0.0.1,\(world.port)",
                "--accesslog-file=\(folder["access.log"])", "--accesslog-format=$alpn", folder["server.key"],
                folder["server.pem"],
            ])
        _ = try await world.crew.start(
            command.program, command.arguments, errors: folder["nghttpx.log"], on: world.loop)
        let relay = Relay(.tcp, to: folder["tls.sock"], delay: delay)
        try await eventually("nghttpx listens") { FileManager.default.fileExists(atPath: folder["tls.sock"]) }
        return TLSFront(relay: relay, caFile: folder["ca.pem"], folder: folder)
    }

    private static func makeCertificates(_ folder: TemporaryFolder) async throws {
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        try await openssl(
            ["req", "-x509", "-days", "2", "-subj", "/CN=Test authority", "-keyout", folder["ca.key"]] + key
                + ["-out", folder["ca.pem"]])
        try await openssl(
            ["req", "-x509", "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"] + key
                + [
                    "-addext", "basicConstraints=critical,CA:FALSE", "-CA", folder["ca.pem"], "-CAkey",
                    folder["ca.key"],
                ]
                + ["-keyout", folder["server.key"], "-out", folder["server.pem"]])
    }

    private struct OpenSSLFailed: Error { let errors: [String] }

    private static func openssl(_ words: [String]) async throws {
        let run = try await output(of: "openssl", words)
        guard run.exit == .code(0) else { throw OpenSSLFailed(errors: run.errors) }
    }
}
