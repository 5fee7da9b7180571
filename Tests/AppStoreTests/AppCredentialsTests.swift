import AppStore
import Crypto
import Refunds
import Testing

@Suite struct `App credentials` {
    private func make(
        bundleId: String = "com.example.reader", issuerId: String = "issuer", keyId: String = "2X9R4HXF34",
        environment: Environment = .sandbox, baseURL: String? = nil
    ) throws -> AppCredentials {
        try AppCredentials(
            bundleId: bundleId, issuerId: issuerId, keyId: keyId, key: .generate(), environment: environment,
            baseURL: baseURL.map { try BaseURL($0) })
    }

    @Test func `take Apple's host for their environment unless told otherwise`() throws {
        #expect(try make().baseURL == .recommended(for: .sandbox))
        #expect(try make(environment: .production).baseURL == .recommended(for: .production))
        #expect(try make(baseURL: "http://127.0.0.1:8480").baseURL.text == "http://127.0.0.1:8480")
    }

    @Test func `are refused when a part is missing or the host is Apple's other one`() {
        #expect(throws: AppCredentials.Failure.emptyBundleId) { try make(bundleId: "") }
        #expect(throws: AppCredentials.Failure.emptyIssuerId) { try make(issuerId: "") }
        #expect(throws: AppCredentials.Failure.emptyKeyId) { try make(keyId: "") }
        #expect(throws: AppCredentials.Failure.hostOfOtherEnvironment(.production)) {
            try make(environment: .sandbox, baseURL: "https://api.storekit.itunes.apple.com")
        }
    }

    @Test func `print nothing of their key`() throws {
        var dumped = ""
        let credentials = try make()
        dump(credentials, to: &dumped)
        let secret = credentials.key.pemPKCS8.split(separator: "\n")[1]
        #expect(!dumped.contains(secret) && !dumped.contains("0x"))
    }
}
