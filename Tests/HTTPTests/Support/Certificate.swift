import TestSupport

/// A self-signed certificate for `localhost`, and for no other name.
struct Certificate {
    let keyFile: String
    let file: String

    init(in folder: TemporaryFolder) async throws {
        keyFile = folder["key.pem"]
        file = folder["cert.pem"]
        try await Program.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-keyout", keyFile, "-out", file, "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
            ])
    }
}
