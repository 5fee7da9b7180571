import COpenSSL

/// A certificate authority of our own making for servers on this machine: who is given its certificate trusts them.
package struct LocalAuthority: Sendable {
    private let issuer: CertificateRecipe.Issuer
    /// What a client has to trust.
    package let certificatePEM: String
    /// Its secret, as `init(certificatePEM:key:)` wants it back.
    package let key: SigningKey

    /// Makes one; `validity` in UNIX milliseconds.
    package init(named name: String, validity: ClosedRange<Int64>) throws(OpenSSLError) {
        key = SigningKey.generate()
        let recipe = CertificateRecipe(role: .root, subject: name, validity: validity)
        let certificate = try recipe.issue(for: key.handle, by: nil)
        issuer = CertificateRecipe.Issuer(certificate: certificate, key: key.handle)
        certificatePEM = PEM.encode("CERTIFICATE", try certificate.der())
    }

    /// One that was made before; nil when the text isn't one certificate, or not that of the key.
    package init?(certificatePEM text: String, key: SigningKey) {
        guard let blocks = try? PEM.blocks(in: text), blocks.count == 1, blocks[0].label == "CERTIFICATE",
            let der = blocks[0].der, let certificate = try? Certificate(der: der)
        else { return nil }
        let isItsOwn = certificate.use { raw in key.handle.use { X509_check_private_key(raw, $0) == 1 } }
        guard isItsOwn else {
            ERR_clear_error()
            return nil
        }
        issuer = CertificateRecipe.Issuer(certificate: certificate, key: key.handle)
        certificatePEM = text
        self.key = key
    }

    /// Whether its certificate is still good then, in UNIX milliseconds.
    package func isValid(at moment: Int64) -> Bool {
        issuer.certificate.use { raw in
            var seconds = time_t(moment / 1000)
            return X509_cmp_time(X509_get0_notAfter(raw), &seconds) > 0
        }
    }

    /// A key and the PEM of a certificate for a server.
    ///
    /// - Parameters:
    ///   - hosts: Names and addresses by which clients call it.
    ///   - validity: In UNIX milliseconds.
    package func issue(
        for hosts: [String], validity: ClosedRange<Int64>
    ) throws(OpenSSLError) -> (certificatePEM: String, key: SigningKey) {
        let key = SigningKey.generate()
        var recipe = CertificateRecipe(role: .server, subject: hosts.first ?? "localhost", validity: validity)
        recipe.hosts = hosts
        let certificate = try recipe.issue(for: key.handle, by: issuer)
        return (PEM.encode("CERTIFICATE", try certificate.der()), key)
    }
}
