import AppStore
import Refunds
import Testing

@Suite struct `A base URL` {
    @Test(arguments: [
        ("https://api.storekit.apple.com", "https://api.storekit.apple.com"),
        ("HTTPS://API.StoreKit.Apple.com/", "https://api.storekit.apple.com"),
        ("https://proxy.example:8443/apple/", "https://proxy.example:8443/apple"),
        ("https://[2001:db8::1]:443", "https://[2001:db8::1]:443"),
        ("http://localhost:8480", "http://localhost:8480"), ("http://127.0.0.1", "http://127.0.0.1"),
        ("http://127.8.9.10:1/x", "http://127.8.9.10:1/x"), ("http://[::1]:9", "http://[::1]:9"),
    ])
    func `is kept without the slash at its end`(url: String, kept: String) throws {
        #expect(try BaseURL(url).text == kept)
    }

    @Test(arguments: [
        ("", BaseURL.Failure.notAbsolute), ("api.storekit.apple.com", .notAbsolute), ("ftp://localhost", .notAbsolute),
        ("https://", .notAbsolute), ("https:///x", .notAbsolute), (" https://localhost", .notAbsolute),
        ("http://api.storekit.apple.com", .notEncrypted), ("http://127.0.0.1.evil.example", .notEncrypted),
        ("http://localhost.evil.example", .notEncrypted), ("http://127.0.0.256", .notEncrypted),
        ("http://127.1", .notEncrypted), ("http://0.0.0.0", .notEncrypted), ("http://[::]", .notEncrypted),
        ("http://10.0.0.1", .notEncrypted), ("http://localhost@evil.example", .hasCredentials),
        ("https://user:secret@api.storekit.apple.com", .hasCredentials), ("https://a.example?b", .hasQuery),
        ("https://a.example/#b", .hasQuery), ("https://a b.example", .unreadableHost),
        ("https://a..b", .unreadableHost),
        ("https://a.example\\@b.example", .hasCredentials), ("https://a.example\\b", .unreadableHost),
        ("https://[::1", .unreadableHost), ("https://[]", .unreadableHost), ("https://[::1]x", .unreadableHost),
        ("https://höst.example", .unreadableHost), ("https://a.example:", .unreadablePort),
        ("https://a.example:0", .unreadablePort), ("https://a.example:65536", .unreadablePort),
        ("https://a.example:+1", .unreadablePort), ("https://a.example/b c", .unreadablePath),
        ("https://a.example/%2e", .unreadablePath), ("https://a.example/../b", .unreadablePath),
        ("https://a.example//", .unreadablePath), ("https://a.example/b\r\nX: y", .unreadablePath),
    ])
    func `that is none, or would show the token to others, is refused with the reason`(
        url: String, reason: BaseURL.Failure
    ) {
        #expect(throws: reason) { try BaseURL(url) }
    }

    @Test func `is by default the host that Apple recommends for the environment`() throws {
        #expect(BaseURL.recommended(for: .production).text == "https://api.storekit.apple.com")
        #expect(BaseURL.recommended(for: .sandbox).text == "https://api.storekit-sandbox.apple.com")
        for environment in Environment.allCases {
            #expect(BaseURL.recommended(for: environment).appleEnvironment == environment)
        }
        #expect(try BaseURL("https://api.storekit.itunes.apple.com").appleEnvironment == .production)
        #expect(try BaseURL("https://api.storekit-sandbox.itunes.apple.com/").appleEnvironment == .sandbox)
        #expect(try BaseURL("http://localhost").appleEnvironment == nil)
    }
}
