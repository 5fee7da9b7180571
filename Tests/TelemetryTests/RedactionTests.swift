import Telemetry
import Testing

@Suite struct RedactionTests {
    @Test(arguments: [
        ("token eyJhbGciOiJFUzI1NiJ9.eyJh.c2ln end", "token <redacted> end"),
        ("eyJ.a.b, eyJ.c.d", "<redacted>, <redacted>"),
        ("eyJ alone stays", "eyJ alone stays"),
        ("at redis://kulanz:p@ss@host:6379/0 refused", "at redis://kulanz:<redacted>@host:6379/0 refused"),
        ("redis://:p@host", "redis://:<redacted>@host"),
        ("redis://kulanz@host", "redis://kulanz@host"),
        ("https://api.storekit.apple.com/x?y=1@2", "https://api.storekit.apple.com/x?y=1@2"),
        (
            "-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----\n", "<redacted>\n"
        ),
        (#"{"appAccountToken":"7e3fb204-2dbf","x":1}"#, #"{"appAccountToken":"<redacted>","x":1}"#),
        ("appAccountToken", "appAccountToken"),
        ("ends in eyJ", "ends in eyJ"),
        ("Grüße 🎧 eyJa.b.c", "Grüße 🎧 <redacted>"),
        ("", ""),
    ])
    func `what looks like a secret is taken out, the rest stays`(text: String, expected: String) {
        #expect(redacting(text) == expected)
    }
}
