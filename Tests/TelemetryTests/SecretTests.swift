import Telemetry
import Testing

@Suite struct SecretTests {
    private struct Holder { let password: Secret<String> }

    @Test func `nothing that prints a secret shows it`() {
        let secret = Secret("hunter2")
        var dumped = ""
        dump(Holder(password: secret), to: &dumped)
        let texts = [
            "\(secret)", String(describing: secret), String(reflecting: secret), "\(Holder(password: secret))",
            String(reflecting: Holder(password: secret)), "\(Optional(secret) as Any)", "\([secret])", dumped,
        ]
        for text in texts { #expect(!text.contains("hunter2"), "\(text)") }
        #expect(texts[0] == "<redacted>")
    }

    @Test func `only reveal gives the value`() {
        #expect(Secret("hunter2").reveal() == "hunter2")
        #expect(Secret("a") == Secret("a"))
        #expect(Secret("a") != Secret("b"))
    }
}
